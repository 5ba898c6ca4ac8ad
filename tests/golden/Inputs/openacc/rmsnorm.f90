! Kernels of rmsnorm.moa, written by moac; change the source, not this file.
!
! OpenACC 2.7. With gfortran: -O3 -fopenacc, and for a GPU -foffload=nvptx-none
! "-foffload-options=nvptx-none=-O3 -misa=sm_80 -lm" -no-pie; without a device the host does the
! work.
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
module rmsnorm_kernels
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_f_pointer, c_int, c_int64_t, &
    c_int8_t, c_intptr_t, c_loc, c_ptr
  implicit none
  private
  public :: rmsnorm, rmsnorm_c, rmsnorm_device, rmsnorm_device_c

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

  !   X: f64[T, D]
  !   g: f64[D]
  !   Z: f64[T, D]
  subroutine rmsnorm(eps, X, g, Z, status)
    real(f64), intent(in) :: eps
    real(f64), intent(in), contiguous, target :: X(:, :), g(:)
    real(f64), intent(inout), contiguous, target :: Z(:, :)
    integer, intent(out), optional :: status
    integer(i64) :: T, D
    integer(c_int) :: code
    T = size(X, 2, i64)
    D = size(X, 1, i64)
    code = MOAC_EXTENT
    if (size(g, 1, i64) == D .and. size(Z, 2, i64) == T .and. size(Z, 1, i64) == D) then
      code = rmsnorm_c(T, D, eps, c_loc(X), c_loc(g), c_loc(Z))
    end if
    if (present(status)) then
      status = code
    else if (code /= MOAC_OK) then
      call moac_stop("rmsnorm", code)
    end if
  end subroutine

  !   X: f64[T, D]
  !   g: f64[D]
  !   Z: f64[T, D]
  subroutine rmsnorm_device(eps, X, g, Z, status)
    real(f64), intent(in) :: eps
    real(f64), intent(in), contiguous, target :: X(:, :), g(:)
    real(f64), intent(inout), contiguous, target :: Z(:, :)
    integer, intent(out), optional :: status
    integer(i64) :: T, D
    integer(c_int) :: code
    T = size(X, 2, i64)
    D = size(X, 1, i64)
    code = MOAC_EXTENT
    if (size(g, 1, i64) == D .and. size(Z, 2, i64) == T .and. size(Z, 1, i64) == D) then
      code = rmsnorm_device_c(T, D, eps, c_loc(X), c_loc(g), c_loc(Z))
    end if
    if (present(status)) then
      status = code
    else if (code /= MOAC_OK) then
      call moac_stop("rmsnorm", code)
    end if
  end subroutine

  subroutine rmsnorm_loops(T, D, eps, X, g, Z, resident)
    integer(i64), value :: T, D
    real(f64), value :: eps
    real(f64), intent(in) :: X(0:T*D - 1), g(0:D - 1)
    real(f64), intent(inout) :: Z(0:T*D - 1)
    logical, value :: resident
    integer(i64) :: t_1, d_1
    real(f64) :: sum_, X_value, r

    associate (unused => resident)
    end associate
    !$acc data if(.not. resident) copyin(X(0:T*D - 1)) copyin(g(0:D - 1)) copyout(Z(0:T*D - 1))
      !$acc parallel loop gang num_gangs(1056) num_workers(4) vector_length(32) &
      !$acc private(sum_, d_1, X_value, r) present(X(0:T*D - 1)) present(g(0:D - 1)) &
      !$acc present(Z(0:T*D - 1))
      do t_1 = 0, T - 1 ! rmsnorm.moa:4
        ! r[t] = rsqrt(sum[d < D](X[t, d]*X[t, d]) / D + eps)
        sum_ = 0.0_f64
        !$acc loop worker vector reduction(+: sum_) private(X_value)
        do d_1 = 0, D - 1 ! rmsnorm.moa:3
          X_value = X(t_1*D + d_1)
          sum_ = sum_ + X_value * X_value
        end do
        r = moac_rsqrt_f64(sum_ / real(D, f64) + eps)
        ! Z[t, d] = g[d]*X[t, d]*r[t]
        !$acc loop worker vector
        do d_1 = 0, D - 1 ! rmsnorm.moa:4
          Z(t_1*D + d_1) = g(d_1) * X(t_1*D + d_1) * r
        end do
      end do
      !$acc end parallel loop
    !$acc end data
  end subroutine

  integer(c_int) function rmsnorm_run(T, D, eps, X, g, Z, resident) result(status)
    integer(i64), value :: T, D
    real(f64), value :: eps
    type(c_ptr), value :: X, g, Z
    logical, value :: resident
    integer(i64) :: X_bytes, g_bytes, Z_bytes
    real(f64), pointer, contiguous :: X_at(:), g_at(:), Z_at(:)
    integer(i8), target :: nothing(2)
    if (T < 0 .or. D < 0) then
      status = MOAC_EXTENT
      return
    end if
    if (8.0_f64 * T * D > MOAC_MAX_BYTES .or. 8.0_f64 * D > MOAC_MAX_BYTES) then
      status = MOAC_OVERFLOW
      return
    end if
    X_bytes = 8_i64 * T * D
    g_bytes = 8_i64 * D
    Z_bytes = 8_i64 * T * D
    if (Z_bytes == 0) then
      status = MOAC_OK
      return ! nothing to compute
    end if
    if ((.not. c_associated(X) .and. X_bytes /= 0) .or. &
        (.not. c_associated(g) .and. g_bytes /= 0) .or. &
        (.not. c_associated(Z) .and. Z_bytes /= 0)) then
      status = MOAC_NULL_POINTER
      return
    end if
    if (moac_overlap(Z, Z_bytes, X, X_bytes) .or. moac_overlap(Z, Z_bytes, g, g_bytes)) then
      status = MOAC_ALIASING
      return
    end if
    nothing = 0
    if (X_bytes == 0) X = c_loc(nothing(2))
    call c_f_pointer(X, X_at, [T*D])
    if (g_bytes == 0) g = c_loc(nothing(2))
    call c_f_pointer(g, g_at, [D])
    if (Z_bytes == 0) Z = c_loc(nothing(2))
    call c_f_pointer(Z, Z_at, [T*D])
    !$acc data copyin(nothing)
    status = MOAC_OK
    call rmsnorm_loops(T, D, eps, X_at, g_at, Z_at, resident)
    !$acc end data
  end function

  integer(c_int) function rmsnorm_c(T, D, eps, X, g, Z) bind(C, name="rmsnorm") result(status)
    integer(i64), value :: T, D
    real(f64), value :: eps
    type(c_ptr), value :: X, g, Z
    status = rmsnorm_run(T, D, eps, X, g, Z, .false.)
  end function

  integer(c_int) function rmsnorm_device_c(T, D, eps, X, g, Z) &
      bind(C, name="rmsnorm_device") result(status)
    integer(i64), value :: T, D
    real(f64), value :: eps
    type(c_ptr), value :: X, g, Z
    status = rmsnorm_run(T, D, eps, X, g, Z, .true.)
  end function

  pure real(f64) function moac_rsqrt_f64(x) result(answer)
    !$acc routine seq
    real(f64), value :: x
    answer = 1.0_f64/sqrt(x)
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
