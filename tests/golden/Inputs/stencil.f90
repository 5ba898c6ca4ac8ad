! Kernels of stencil.moa, written by moac; change the source, not this file.
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
module stencil_kernels
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_f_pointer, c_int, c_int64_t, &
    c_int8_t, c_intptr_t, c_loc, c_ptr
  implicit none
  private
  public :: smooth, smooth_c

  integer, parameter :: i8 = c_int8_t
  integer, parameter :: i64 = c_int64_t
  integer, parameter :: f64 = c_double
  integer(c_int), parameter :: MOAC_OK = 0
  integer(c_int), parameter :: MOAC_NULL_POINTER = -1 ! an array with elements is null
  integer(c_int), parameter :: MOAC_EXTENT = -2 ! an extent is negative
  integer(c_int), parameter :: MOAC_OVERFLOW = -5 ! an array would be too large to exist
  integer(c_int), parameter :: MOAC_ALIASING = -6 ! an output overlaps another array
  ! Larger arrays are refused, so that no size or offset overflows.
  real(f64), parameter :: MOAC_MAX_BYTES = 4611686018427387904.0_f64

contains

  !   u: f64[N]
  !   v: f64[N]
  subroutine smooth(a, u, v, status)
    real(f64), intent(in) :: a
    real(f64), intent(in), contiguous, target :: u(:)
    real(f64), intent(inout), contiguous, target :: v(:)
    integer, intent(out), optional :: status
    integer(i64) :: N
    integer(c_int) :: code
    N = size(u, 1, i64)
    code = MOAC_EXTENT
    if (size(v, 1, i64) == N) then
      code = smooth_c(N, a, c_loc(u), c_loc(v))
    end if
    if (present(status)) then
      status = code
    else if (code /= MOAC_OK) then
      call moac_stop("smooth", code)
    end if
  end subroutine

  subroutine smooth_team(N, a, u, v)
    integer(i64), value :: N
    real(f64), value :: a
    real(f64), intent(in) :: u(0:N - 1)
    real(f64), intent(inout) :: v(0:N - 1)
    integer(i64) :: i
    real(f64) :: u_value

    ! v[i] = where(0 < i and i < N - 1, u[i] + a*(u[i - 1] - 2*u[i] + u[i + 1]), u[i])
    ! i < 1
    !$omp do schedule(static)
    do i = 0, min(N, 1_i64) - 1 ! stencil.moa:3
      v(i) = u(i)
    end do
    !$omp end do
    ! 1 <= i < N - 1
    !$omp do private(u_value) schedule(static)
    do i = 1, N - 1 - 1 ! stencil.moa:3
      u_value = u(i)
      v(i) = u_value + a * (u(i - 1) - 2.0_f64 * u_value + u(i + 1))
    end do
    !$omp end do
    ! N - 1 <= i
    !$omp do schedule(static)
    do i = max(1_i64, N - 1), N - 1 ! stencil.moa:3
      v(i) = u(i)
    end do
    !$omp end do
  end subroutine

  subroutine smooth_loops(N, a, u, v)
    integer(i64), value :: N
    real(f64), value :: a
    real(f64), intent(in) :: u(0:N - 1)
    real(f64), intent(inout) :: v(0:N - 1)

    !$omp parallel num_threads(moac_team(12.0_f64 * N))
      call smooth_team(N, a, u, v)
    !$omp end parallel
  end subroutine

  integer(c_int) function smooth_c(N, a, u, v) bind(C, name="smooth") result(status)
    integer(i64), value :: N
    real(f64), value :: a
    type(c_ptr), value :: u, v
    integer(i64) :: u_bytes, v_bytes
    real(f64), pointer, contiguous :: u_at(:), v_at(:)
    integer(i8), target :: nothing(1)
    if (N < 0) then
      status = MOAC_EXTENT
      return
    end if
    if (8.0_f64 * N > MOAC_MAX_BYTES) then
      status = MOAC_OVERFLOW
      return
    end if
    u_bytes = 8_i64 * N
    v_bytes = 8_i64 * N
    if (v_bytes == 0) then
      status = MOAC_OK
      return ! nothing to compute
    end if
    if ((.not. c_associated(u) .and. u_bytes /= 0) .or. &
        (.not. c_associated(v) .and. v_bytes /= 0)) then
      status = MOAC_NULL_POINTER
      return
    end if
    if (moac_overlap(v, v_bytes, u, u_bytes)) then
      status = MOAC_ALIASING
      return
    end if
    nothing = 0
    if (u_bytes == 0) u = c_loc(nothing)
    call c_f_pointer(u, u_at, [N])
    if (v_bytes == 0) v = c_loc(nothing)
    call c_f_pointer(v, v_at, [N])
    status = MOAC_OK
    call smooth_loops(N, a, u_at, v_at)
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
