! Calls kernels with arrays of the host, and with arrays that stay on the device between calls.
program device_callers
  use device_kernels, only: weighted, weighted_device, gathered
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  real(real64) :: a(2, 5), w(5), y(5)
  integer(int64) :: at(2)
  integer :: status
  a = reshape([real(real64) :: 1, 3, 2, 1, 4, 2, 3, 4, 3, 5], [2, 5])
  w = [real(real64) :: 1, 2, 3, 3, 4]
  call weighted(a, w, y, status)
  print '(a, i0, 5f5.1)', 'host ', status, y
  y = 0
  !$acc data copyin(a, w) copyout(y)
  call weighted_device(a, w, y, status)
  call weighted_device(a, w, y, status)
  !$acc end data
  print '(a, i0, 5f5.1)', 'device ', status, y
  at = [1, 9]
  call gathered(w, at, y(:2), status)
  print '(a, i0)', 'index ', status
end program
