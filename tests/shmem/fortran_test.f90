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
  call others()
  call check(moac_shmem_finalize(), 'finalize')
  if (failed /= 0) stop 1
contains
  ! Descriptors that are passed by value or by address, texts, locks, strides.
  subroutine others()
    integer(c_int64_t), target :: one, expected, found
    integer(c_int64_t), pointer :: words(:)
    integer(c_size_t) :: hits
    integer(c_intptr_t) :: team
    logical(c_bool) :: taken
    type(c_ptr) :: memory
    one = 1
    expected = pes
    call check(moac_shmem_calloc(16_c_size_t, 8_c_size_t, memory), 'calloc')
    call c_f_pointer(memory, words, [16])
    call check(moac_shmem_atomic_apply(moac_shmem_context_default, c_loc(words(1)), &
        moac_shmem_atomic(moac_shmem_atomic_op_add, moac_shmem_i64, c_loc(one), c_null_ptr, c_loc(found)), 0), 'apply')
    if (found < 0 .or. found >= pes) failed = failed + 1
    if (me == 0) then
      call check(moac_shmem_wait(moac_shmem_all, moac_shmem_condition(c_loc(words), 1, c_null_ptr, moac_shmem_i64, &
          moac_shmem_eq, c_loc(expected), .false._c_bool, 0), c_null_ptr, hits), 'wait')
      if (hits /= 1) failed = failed + 1
    end if
    call check(moac_shmem_signal_send(moac_shmem_context_default, &
        moac_shmem_signal(c_loc(words(2)), 7_c_int64_t, moac_shmem_signal_set), next), 'signal_send')
    call check(moac_shmem_signal_wait_until(c_loc(words(2)), moac_shmem_ne, 0_c_int64_t, c_null_ptr), 'wait')
    call check(moac_shmem_signal_fetch(c_loc(words(2)), found), 'signal_fetch')
    if (found /= 7) failed = failed + 1
    words(3:6) = [1, 2, 3, 4]
    call check(moac_shmem_barrier(moac_shmem_team_world), 'barrier')
    call check(moac_shmem_iput(moac_shmem_context_default, c_loc(words(7)), c_loc(words(3)), &
        moac_shmem_strides(8, 16, 8, 2), next), 'iput')
    call check(moac_shmem_lock(c_loc(words(10))), 'lock')
    call check(moac_shmem_unlock(c_loc(words(10))), 'unlock')
    call check(moac_shmem_barrier(moac_shmem_team_world), 'barrier')
    if (any(words(7:9) /= [1, 3, 0])) failed = failed + 1
    call check(moac_shmem_try_lock(c_loc(words(11 + me)), taken), 'try_lock')
    if (.not. taken) failed = failed + 1
    call check(moac_shmem_context_team(moac_shmem_context_default, team), 'context_team')
    if (moac_shmem_team_translate_pe(team, me, moac_shmem_team_world) /= me) failed = failed + 1
    if (moac_shmem_put(moac_shmem_context_default, c_loc(words), c_loc(one), 8_c_size_t, pes) == 0) failed = failed + 1
    if (index(moac_shmem_error_text(), 'moac_shmem_put') == 0) failed = failed + 1
    if (.not. moac_shmem_initialized() .or. moac_shmem_type_size(moac_shmem_c128) /= 16) failed = failed + 1
    call check(moac_shmem_realloc(memory, 4096_c_size_t, memory), 'realloc')
    call check(moac_shmem_free(memory), 'free')
  end subroutine
  subroutine check(status, what)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: what
    if (status == 0) return
    print *, what, ' answered ', status
    failed = failed + 1
  end subroutine
end program
