! fortran_test.f90: the Fortran module on P processes: heap, put with signal, atomics, reduction, and a module variable
! that stays private to its PE.
program fortran_test
  use, intrinsic :: iso_c_binding
  use moac_shmem
  implicit none
  integer(c_int) :: me, pes, next, failed
  integer :: i
  type(c_ptr) :: object, flag_object
  real(c_double), pointer :: box(:), total(:)
  integer(c_int64_t), pointer :: flag(:)
  integer(c_int64_t) :: old
  real(c_double), target :: mine(8)

  failed = 0
  call check(moac_shmem_init(), 'init')
  me = moac_shmem_my_pe()
  pes = moac_shmem_n_pes()
  next = mod(me + 1, pes)
  call check(moac_shmem_calloc(16_c_size_t, c_sizeof(mine(1)), object), 'calloc')
  call check(moac_shmem_calloc(2_c_size_t, 8_c_size_t, flag_object), 'calloc')
  call c_f_pointer(object, box, [16])
  call c_f_pointer(flag_object, flag, [2])
  total => box(9:16)
  mine = [(me * 10.0_c_double + i, i = 1, 8)]
  call check(moac_shmem_put_signal(moac_shmem_context_default, c_loc(box), c_loc(mine), c_sizeof(mine), &
      moac_shmem_signal(c_loc(flag), 1_c_int64_t, moac_shmem_signal_set), next), 'put_signal')
  call check(moac_shmem_signal_wait_until(c_loc(flag), moac_shmem_eq, 1_c_int64_t, c_null_ptr), 'wait')
  if (box(8) /= mod(me + pes - 1, pes) * 10.0_c_double + 8) failed = failed + 1
  call check(moac_shmem_barrier(moac_shmem_team_world), 'barrier')
  box(1:8) = me + 1
  call check(moac_shmem_reduce(moac_shmem_team_world, moac_shmem_sum, moac_shmem_f64, c_loc(total), c_loc(box), &
      8_c_size_t), 'reduce')
  if (any(total /= pes * (pes + 1) / 2)) failed = failed + 1
  call check(moac_shmem_atomic_fetch_add(moac_shmem_context_default, c_loc(flag(2)), 1_c_int64_t, 0, old), 'add')
  call check(moac_shmem_barrier(moac_shmem_team_world), 'barrier')
  if (me == 0 .and. flag(2) /= pes) failed = failed + 1
  call check(moac_shmem_finalize(), 'finalize')
  if (failed /= 0) stop 1
contains
  subroutine check(status, what)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: what
    if (status == 0) return
    print *, what, ' answered ', status
    failed = failed + 1
  end subroutine
end program
