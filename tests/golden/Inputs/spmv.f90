! Kernels of spmv.moa, written by moac; change the source, not this file.
!
! Compile with gfortran -O3 -fopenmp -march=native --param max-inline-insns-auto=400 (the last for
! exponentials). Fortran 2018; no flag changes a result beyond fused multiply-adds
! (-ffp-contract=off splits them).
! Needs no other library.
!
! Each kernel is a subroutine of its name: an array [B, N, D] of the kernel is (D, N, B) here and
! the same memory, with any lower bounds, contiguous or not. The optional status is 0 or
!   -1  an array that has elements is null
!   -2  an extent is negative or does not fit the others
!   -3  a condition of the signature does not hold
!   -4  an index read from data left its axis
!   -5  an array would be too large to exist
!   -6  an output overlaps another array
!   -7  scratch memory could not be had
!   -8  an integer division by zero
! Without it an error stops the program. NAME_c is the function that C knows as NAME; see the
! header. f16 and bf16 elements are patterns of 16 bits, unsigned ones signed of the same bits.
module spmv_kernels
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_f_pointer, c_int, c_int64_t, &
    c_int8_t, c_intptr_t, c_loc, c_ptr
  implicit none
  private
  public :: spmv, spmv_c

  integer, parameter :: i8 = c_int8_t
  integer, parameter :: i64 = c_int64_t
  integer, parameter :: f64 = c_double
  integer(c_int), parameter :: MOAC_OK = 0
  integer(c_int), parameter :: MOAC_NULL_POINTER = -1 ! an array with elements is null
  integer(c_int), parameter :: MOAC_EXTENT = -2 ! an extent is negative
  integer(c_int), parameter :: MOAC_INDEX = -4 ! an index read from data left its axis
  integer(c_int), parameter :: MOAC_OVERFLOW = -5 ! an array would be too large to exist
  integer(c_int), parameter :: MOAC_ALIASING = -6 ! an output overlaps another array
  ! Larger arrays are refused, so that no size or offset overflows.
  real(f64), parameter :: MOAC_MAX_BYTES = 4611686018427387904.0_f64

contains

  !   val: f64[Z]
  !   col: i64[Z]
  !   rp: i64[N + 1]
  !   x: f64[M]
  !   y: f64[N]
  subroutine spmv(val, col, rp, x, y, status)
    real(f64), intent(in), contiguous, target :: val(:), x(:)
    integer(i64), intent(in), contiguous, target :: col(:), rp(:)
    real(f64), intent(inout), contiguous, target :: y(:)
    integer, intent(out), optional :: status
    integer(i64) :: Z, N, M
    integer(c_int) :: code
    Z = size(val, 1, i64)
    N = size(y, 1, i64)
    M = size(x, 1, i64)
    code = MOAC_EXTENT
    if (size(col, 1, i64) == Z .and. size(rp, 1, i64) == N + 1) then
      code = spmv_c(Z, N, M, c_loc(val), c_loc(col), c_loc(rp), c_loc(x), c_loc(y))
    end if
    if (present(status)) then
      status = code
    else if (code /= MOAC_OK) then
      call moac_stop("spmv", code)
    end if
  end subroutine

  subroutine spmv_loops(Z, N, M, val, col, rp, x, y, status)
    integer(i64), value :: Z, N, M
    real(f64), intent(in) :: val(0:Z - 1), x(0:M - 1)
    integer(i64), intent(in) :: col(0:Z - 1), rp(0:N + 1 - 1)
    real(f64), intent(inout) :: y(0:N - 1)
    integer(c_int), intent(inout) :: status
    integer(i64) :: i, t, at
    real(f64) :: sum_

    !$omp parallel do num_threads(moac_team(6.0_f64 * N)) reduction(min: status) &
    !$omp private(sum_, t, at) schedule(static)
    do i = 0, N - 1 ! spmv.moa:4
      ! y[i] = sum[t in rp[i]..rp[i + 1]](val[t]*x[col[t]])
      y(i) = 0.0_f64
      sum_ = 0.0_f64
      do t = rp(i), rp(i + 1) - 1 ! spmv.moa:4
        if (0 <= t .and. t < Z) then
          at = col(t)
          if (0 <= at .and. at < M) then
            sum_ = sum_ + val(t) * x(at)
          else
            status = min(status, MOAC_INDEX)
          end if
        else
          status = min(status, MOAC_INDEX)
        end if
      end do
      y(i) = sum_
    end do
    !$omp end parallel do
  end subroutine

  integer(c_int) function spmv_c(Z, N, M, val, col, rp, x, y) bind(C, name="spmv") result(status)
    integer(i64), value :: Z, N, M
    type(c_ptr), value :: val, col, rp, x, y
    integer(i64) :: val_bytes, col_bytes, rp_bytes, x_bytes, y_bytes
    real(f64), pointer, contiguous :: val_at(:), x_at(:), y_at(:)
    integer(i64), pointer, contiguous :: col_at(:), rp_at(:)
    integer(i8), target :: nothing(1)
    if (Z < 0 .or. N < 0 .or. M < 0) then
      status = MOAC_EXTENT
      return
    end if
    if (1.0_f64 * N + 1.0_f64 > MOAC_MAX_BYTES) then
      status = MOAC_OVERFLOW
      return
    end if
    if (8.0_f64 * Z > MOAC_MAX_BYTES .or. 8.0_f64 * N + 8.0_f64 > MOAC_MAX_BYTES .or. &
        8.0_f64 * M > MOAC_MAX_BYTES .or. 8.0_f64 * N > MOAC_MAX_BYTES) then
      status = MOAC_OVERFLOW
      return
    end if
    val_bytes = 8_i64 * Z
    col_bytes = 8_i64 * Z
    rp_bytes = 8_i64 * (N + 1)
    x_bytes = 8_i64 * M
    y_bytes = 8_i64 * N
    if (y_bytes == 0) then
      status = MOAC_OK
      return ! nothing to compute
    end if
    if ((.not. c_associated(val) .and. val_bytes /= 0) .or. &
        (.not. c_associated(col) .and. col_bytes /= 0) .or. &
        (.not. c_associated(rp) .and. rp_bytes /= 0) .or. &
        (.not. c_associated(x) .and. x_bytes /= 0) .or. &
        (.not. c_associated(y) .and. y_bytes /= 0)) then
      status = MOAC_NULL_POINTER
      return
    end if
    if (moac_overlap(y, y_bytes, val, val_bytes) .or. &
        moac_overlap(y, y_bytes, col, col_bytes) .or. moac_overlap(y, y_bytes, rp, rp_bytes) .or. &
        moac_overlap(y, y_bytes, x, x_bytes)) then
      status = MOAC_ALIASING
      return
    end if
    nothing = 0
    if (val_bytes == 0) val = c_loc(nothing)
    call c_f_pointer(val, val_at, [Z])
    if (col_bytes == 0) col = c_loc(nothing)
    call c_f_pointer(col, col_at, [Z])
    if (rp_bytes == 0) rp = c_loc(nothing)
    call c_f_pointer(rp, rp_at, [N + 1])
    if (x_bytes == 0) x = c_loc(nothing)
    call c_f_pointer(x, x_at, [M])
    if (y_bytes == 0) y = c_loc(nothing)
    call c_f_pointer(y, y_at, [N])
    status = MOAC_OK
    call spmv_loops(Z, N, M, val_at, col_at, rp_at, x_at, y_at, status)
  end function

  ! True if two memory ranges have a byte in common.
  pure logical function moac_overlap(a, a_bytes, b, b_bytes) result(answer)
    type(c_ptr), value :: a, b
    integer(i64), value :: a_bytes, b_bytes
    integer(c_intptr_t) :: a_at, b_at
    a_at = transfer(a, a_at)
    b_at = transfer(b, b_at)
    answer = a_bytes /= 0 .and. b_bytes /= 0 .and. a_at < b_at + b_bytes .and. b_at < a_at + a_bytes
  end function

  ! Threads for about `work` innermost iterations: waking a thread must pay.
  !$ integer(c_int) function moac_team(work) result(answer)
  !$   use omp_lib, only: omp_get_max_threads, omp_in_parallel
  !$   real(f64), value :: work
  !$   answer = 1
  !$   if (.not. omp_in_parallel()) &
  !$     answer = int(max(1.0_f64, min(work/16384, real(omp_get_max_threads(), f64))), c_int)
  !$ end function

  ! Ends the program: a kernel failed and its caller took no status.
  subroutine moac_stop(kernel, code)
    character(*), intent(in) :: kernel
    integer(c_int), value :: code
    character(24), parameter :: reasons(8) = [character(24) :: 'null pointer', 'extent out of range', &
      'constraint violated', 'index out of range', 'array too large', 'arrays overlap', &
      'out of memory', 'division by zero']
    error stop kernel // ': ' // trim(reasons(min(8, max(1, int(-code)))))
  end subroutine

end module
