! The sum alone, through the Fortran module.
program module_user
  use, intrinsic :: iso_c_binding
  use moac_shmem
  implicit none
  type(c_ptr) :: object
  integer(c_int64_t), pointer :: words(:)
  integer(c_int) :: status

  status = moac_shmem_init()
  status = ior(status, moac_shmem_calloc(2_c_size_t, 8_c_size_t, object))
  call c_f_pointer(object, words, [2])
  words(1) = 10 + moac_shmem_my_pe()
  status = ior(status, moac_shmem_reduce(moac_shmem_team_world, moac_shmem_sum, moac_shmem_i64, &
      c_loc(words(2)), c_loc(words(1)), 1_c_size_t))
  if (moac_shmem_my_pe() == 0) print '(a, i0, a, i0)', 'module of ', moac_shmem_n_pes(), ': ', words(2)
  status = ior(status, moac_shmem_finalize())
  if (status /= 0) error stop 1
end program
