! Calls the kernels of native.moa as a Fortran program would: other lower bounds, sections, column order, statuses.
program native
  use, intrinsic :: iso_c_binding
  use native_kernels
  implicit none
  real(c_double) :: a(0:11, -2:4), b(0:11, -2:4), wide(24, 14), wide_b(48, 21), total(7), columns_total(12)
  real(c_float) :: x(5, 3, 2), y(5, 3, 2)
  real(c_double) :: ramped(7), none(0, 3), none_b(0, 3)
  real(c_double) :: words(6, 4), weights(6), levels(4)
  integer(c_int32_t) :: counts(5), more(5)
  integer(c_int32_t) :: four(8, 2, 3, 4), four_b(8, 2, 3, 4), flat(2, 4), thin(1, 0), thin_b(1, 0)
  real(c_double) :: one(3), tenth(3), large(3)
  integer :: i, j, status
  a = reshape([(real(i, c_double), i = 1, 84)], shape(a))
  call scaled(2.0_c_double, a, b)
  do j = -2, 4
    do i = 0, 11
      call expect(abs(b(i, j) - (2*a(i, j) + 10*(j + 2) + 0.1_c_double*i)) < 1e-12_c_double, 'bounds')
    end do
  end do
  wide = 0
  wide(::2, 2::2) = a
  wide_b = -1
  call scaled(2.0_c_double, wide(::2, 2::2), wide_b(3::4, 21:3:-3), status)
  call expect(status == 0, 'sections are accepted')
  call expect(all(abs(wide_b(3::4, 21:3:-3) - b) <= 0), 'results come back to a section')
  call expect(count(abs(wide_b + 1) > 0) == 84, 'nothing between its elements changes')
  call scaled(1.0_c_double, a, wide_b(1:11, 1:7), status)
  call expect(status == -2, 'extents that differ')
  call scaled(1.0_c_double, none, none_b)
  call columns(a, columns_total, total)
  call expect(all(abs(total - sum(a, 1)) < 1e-9_c_double), 'sums of columns')
  call expect(all(abs(columns_total - sum(a, 2)) < 1e-9_c_double), 'sums of rows')
  call random_number(x)
  call centred(x, y)
  do j = 1, 3
    do i = 1, 2
      call expect(all(abs(y(:, j, i) - x(:, j, i) + sum(x(:, j, i))/5) < 1e-6), 'rows')
    end do
  end do
  call ramp(3_c_int64_t, 1.0_c_double, 0.5_c_double, ramped)
  call expect(all(abs(ramped - [(1 + 0.5_c_double*i, i = 0, 6)]) <= 0), 'an explicit symbol')
  call ramp(4_c_int64_t, 1.0_c_double, 0.5_c_double, ramped, status)
  call expect(status == -2, 'a symbol that does not fit')
  call ramp(0_c_int64_t, 1.0_c_double, 0.5_c_double, ramped(1:1), status)
  call expect(status == -3, 'a condition')
  words = 2
  weights = [(real(i, c_double), i = 1, 6)]
  call level(1.0_c_double, words, weights, levels)
  call expect(all(abs(levels - 6) < 1e-12_c_double), 'words of Fortran')
  counts = [1, 2, 3, 4, huge(1_c_int32_t)]
  call sizes(counts, more)
  call expect(all(more == [2, 3, 4, 5, -huge(1_c_int32_t) - 1]), 'sums that wrap')
  call a_name_of_sixty_four_characters_is_one_more_than_fortran_allows(weights, levels, status)
  call expect(status == -2, 'a long name')
  four = reshape([(int(i, c_int32_t), i = 1, 192)], shape(four))
  four_b = 0
  call doubled(four(1, :, 2, :), four_b(1, :, 2, :), status)
  call expect(status == 0, 'two axes of four')
  flat = reshape([((2*four(1, i, 2, j) + 10*int(j - 1, c_int32_t), i = 1, 2), j = 1, 4)], shape(flat))
  call expect(all(four_b(1, :, 2, :) == flat), 'strides of 8 and 48')
  call expect(count(four_b /= 0) == 8, 'the rest of four axes is left alone')
  call doubled(thin, thin_b, status)
  call expect(status == 0, 'one axis is empty')
  one = 1
  call tenths(one, tenth, large)
  call expect(all(abs(tenth - 0.1_c_double) <= 0), 'a tenth in double precision')
  call expect(all(large > huge(1.0_c_double)), 'infinity')
  print '(a)', 'native callers agree'
  call ramp(4_c_int64_t, 1.0_c_double, 0.5_c_double, ramped)
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (.not. holds) error stop what
  end subroutine
end program
