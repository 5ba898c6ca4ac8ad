program app
  use scale_kernels, only: scale
  implicit none
  double precision :: a(3, 2), b(3, 2)
  a = reshape([1d0, 2d0, 4d0, 3d0, 6d0, 12d0], [3, 2])
  call scale(4d0, a, b)
  print '(6f5.1)', b
end program
