! moac_shmem.f90: the Fortran face of moac_shmem.h: bind(C) interfaces with the names of the C header, all of them but those
! that make worlds and traces for tests. Symmetric objects come from moac_shmem_malloc as type(c_ptr) and become arrays through
! c_f_pointer; c_loc gives the address back. Every function returns a status; zero is success.
module moac_shmem
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: moac_shmem_init, moac_shmem_finalize, moac_shmem_my_pe, moac_shmem_n_pes, moac_shmem_global_exit
  public :: moac_shmem_malloc, moac_shmem_calloc, moac_shmem_free, moac_shmem_ptr
  public :: moac_shmem_put, moac_shmem_get, moac_shmem_put_nbi, moac_shmem_get_nbi
  public :: moac_shmem_put_signal, moac_shmem_put_signal_nbi, moac_shmem_signal_wait_until
  public :: moac_shmem_atomic_set, moac_shmem_atomic_fetch, moac_shmem_atomic_fetch_add
  public :: moac_shmem_fence, moac_shmem_quiet, moac_shmem_pe_quiet
  public :: moac_shmem_context_create, moac_shmem_context_destroy, moac_shmem_tag
  public :: moac_shmem_barrier, moac_shmem_sync, moac_shmem_broadcast, moac_shmem_fcollect, moac_shmem_collect
  public :: moac_shmem_alltoall, moac_shmem_reduce, moac_shmem_reduce_scatter, moac_shmem_scan
  public :: moac_shmem_team_split_strided, moac_shmem_team_split_2d, moac_shmem_team_destroy
  public :: moac_shmem_team_my_pe, moac_shmem_team_n_pes, moac_shmem_team_translate_pe, moac_shmem_context_team
  public :: moac_shmem_malloc_tagged, moac_shmem_align, moac_shmem_realloc, moac_shmem_iput, moac_shmem_iget
  public :: moac_shmem_atomic_apply, moac_shmem_atomic_apply_nbi, moac_shmem_signal_send, moac_shmem_signal_fetch
  public :: moac_shmem_wait, moac_shmem_test, moac_shmem_alltoalls, moac_shmem_lock, moac_shmem_unlock, moac_shmem_try_lock
  public :: moac_shmem_initialized, moac_shmem_addr_accessible, moac_shmem_type_size
  public :: moac_shmem_last_error, moac_shmem_status_text, moac_shmem_error_text

  ! Handles and enumerators, equal to those of the C header.
  integer(c_intptr_t), parameter, public :: moac_shmem_context_default = 1, moac_shmem_team_world = 1
  integer(c_intptr_t), parameter, public :: moac_shmem_context_invalid = 0, moac_shmem_team_invalid = 0
  enum, bind(c)
    enumerator :: moac_shmem_i8 = 0, moac_shmem_i16, moac_shmem_i32, moac_shmem_i64
    enumerator :: moac_shmem_u8, moac_shmem_u16, moac_shmem_u32, moac_shmem_u64
    enumerator :: moac_shmem_f16, moac_shmem_bf16, moac_shmem_f32, moac_shmem_f64
    enumerator :: moac_shmem_long_double, moac_shmem_c64, moac_shmem_c128, moac_shmem_bool
  end enum
  enum, bind(c)
    enumerator :: moac_shmem_and = 0, moac_shmem_or, moac_shmem_xor, moac_shmem_min, moac_shmem_max
    enumerator :: moac_shmem_sum, moac_shmem_prod
  end enum
  enum, bind(c)
    enumerator :: moac_shmem_eq = 0, moac_shmem_ne, moac_shmem_gt, moac_shmem_ge, moac_shmem_lt, moac_shmem_le
  end enum
  enum, bind(c)
    enumerator :: moac_shmem_signal_set = 0, moac_shmem_signal_add
  end enum
  enum, bind(c)
    ! MOAC_SHMEM_ATOMIC_FETCH and so on: here those would be the names of functions.
    enumerator :: moac_shmem_atomic_op_fetch = 0, moac_shmem_atomic_op_set, moac_shmem_atomic_op_add, moac_shmem_atomic_op_swap
    enumerator :: moac_shmem_atomic_op_compare_swap, moac_shmem_atomic_op_and, moac_shmem_atomic_op_or, moac_shmem_atomic_op_xor
  end enum
  enum, bind(c)
    enumerator :: moac_shmem_all = 0, moac_shmem_any, moac_shmem_some
  end enum
  enum, bind(c)
    enumerator :: moac_shmem_context_private = 1, moac_shmem_context_serialized = 2, moac_shmem_context_nostore = 4
  end enum
  public :: moac_shmem_atomic_op_fetch, moac_shmem_atomic_op_set, moac_shmem_atomic_op_add, moac_shmem_atomic_op_swap
  public :: moac_shmem_atomic_op_compare_swap, moac_shmem_atomic_op_and, moac_shmem_atomic_op_or, moac_shmem_atomic_op_xor
  public :: moac_shmem_all, moac_shmem_any, moac_shmem_some
  public :: moac_shmem_context_private, moac_shmem_context_serialized, moac_shmem_context_nostore
  public :: moac_shmem_i8, moac_shmem_i16, moac_shmem_i32, moac_shmem_i64, moac_shmem_u8, moac_shmem_u16
  public :: moac_shmem_u32, moac_shmem_u64, moac_shmem_f16, moac_shmem_bf16, moac_shmem_f32, moac_shmem_f64
  public :: moac_shmem_long_double, moac_shmem_c64, moac_shmem_c128, moac_shmem_bool
  public :: moac_shmem_and, moac_shmem_or, moac_shmem_xor, moac_shmem_min, moac_shmem_max, moac_shmem_sum
  public :: moac_shmem_prod, moac_shmem_eq, moac_shmem_ne, moac_shmem_gt, moac_shmem_ge, moac_shmem_lt, moac_shmem_le
  public :: moac_shmem_signal_set, moac_shmem_signal_add

  type, bind(c), public :: moac_shmem_signal
    type(c_ptr) :: word
    integer(c_int64_t) :: value
    integer(c_int) :: op
  end type

  type, bind(c), public :: moac_shmem_strides
    integer(c_size_t) :: target, source, block, count
  end type
  type, bind(c), public :: moac_shmem_atomic
    integer(c_int) :: op, type
    type(c_ptr) :: operand, compare, fetched
  end type
  type, bind(c), public :: moac_shmem_condition
    type(c_ptr) :: words
    integer(c_size_t) :: count
    type(c_ptr) :: status
    integer(c_int) :: type, comparison
    type(c_ptr) :: operand
    logical(c_bool) :: vector
    integer(c_int32_t) :: com_id
  end type

  interface
    integer(c_int) function moac_shmem_init() bind(c)
      import :: c_int
    end function
    integer(c_int) function moac_shmem_finalize() bind(c)
      import :: c_int
    end function
    integer(c_int) function moac_shmem_my_pe() bind(c)
      import :: c_int
    end function
    integer(c_int) function moac_shmem_n_pes() bind(c)
      import :: c_int
    end function
    integer(c_int) function moac_shmem_malloc(bytes, object) bind(c)
      import :: c_int, c_ptr, c_size_t
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: object
    end function
    integer(c_int) function moac_shmem_calloc(count, size, object) bind(c)
      import :: c_int, c_ptr, c_size_t
      integer(c_size_t), value :: count, size
      type(c_ptr), intent(out) :: object
    end function
    integer(c_int) function moac_shmem_free(object) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
    end function
    integer(c_int) function moac_shmem_ptr(object, pe, address) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int), value :: pe
      type(c_ptr), intent(out) :: address
    end function
    integer(c_int) function moac_shmem_put(context, target, source, bytes, pe) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: bytes
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_get(context, target, source, bytes, pe) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: bytes
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_put_nbi(context, target, source, bytes, pe) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: bytes
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_get_nbi(context, target, source, bytes, pe) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: bytes
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_put_signal(context, target, source, bytes, signal, pe) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t, moac_shmem_signal
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: bytes
      type(moac_shmem_signal), value :: signal
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_put_signal_nbi(context, target, source, bytes, signal, pe) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t, moac_shmem_signal
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: bytes
      type(moac_shmem_signal), value :: signal
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_signal_wait_until(word, comparison, operand, seen) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: word, seen
      integer(c_int), value :: comparison
      integer(c_int64_t), value :: operand
    end function
    integer(c_int) function moac_shmem_atomic_set(context, word, number, pe) bind(c)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: word
      integer(c_int64_t), value :: number
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_atomic_fetch(context, word, pe, number) bind(c)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: word
      integer(c_int), value :: pe
      integer(c_int64_t), intent(out) :: number
    end function
    integer(c_int) function moac_shmem_atomic_fetch_add(context, word, number, pe, old) bind(c)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: word
      integer(c_int64_t), value :: number
      integer(c_int), value :: pe
      integer(c_int64_t), intent(out) :: old
    end function
    integer(c_int) function moac_shmem_fence(context) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: context
    end function
    integer(c_int) function moac_shmem_quiet(context) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: context
    end function
    integer(c_int) function moac_shmem_pe_quiet(context, pes, count) bind(c)
      import :: c_int, c_intptr_t, c_size_t
      integer(c_intptr_t), value :: context
      integer(c_int), intent(in) :: pes(*)
      integer(c_size_t), value :: count
    end function
    integer(c_int) function moac_shmem_context_create(team, options, com_id, context) bind(c)
      import :: c_int, c_int32_t, c_intptr_t, c_long
      integer(c_intptr_t), value :: team
      integer(c_long), value :: options
      integer(c_int32_t), value :: com_id
      integer(c_intptr_t), intent(out) :: context
    end function
    integer(c_int) function moac_shmem_context_destroy(context) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: context
    end function
    integer(c_int) function moac_shmem_barrier(team) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: team
    end function
    integer(c_int) function moac_shmem_sync(team) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: team
    end function
    integer(c_int) function moac_shmem_broadcast(team, target, source, bytes, root) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: team
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: bytes
      integer(c_int), value :: root
    end function
    integer(c_int) function moac_shmem_fcollect(team, target, source, bytes) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: team
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function moac_shmem_collect(team, target, source, bytes) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: team
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function moac_shmem_alltoall(team, target, source, bytes) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: team
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function moac_shmem_reduce(team, op, type, target, source, count) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: team
      integer(c_int), value :: op, type
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: count
    end function
    integer(c_int) function moac_shmem_reduce_scatter(team, op, type, target, source, count) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: team
      integer(c_int), value :: op, type
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: count
    end function
    integer(c_int) function moac_shmem_scan(team, inclusive, type, target, source, count) bind(c)
      import :: c_bool, c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_intptr_t), value :: team
      logical(c_bool), value :: inclusive
      integer(c_int), value :: type
      type(c_ptr), value :: target, source
      integer(c_size_t), value :: count
    end function
    integer(c_int) function moac_shmem_team_split_strided(parent, start, stride, size, team) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: parent
      integer(c_int), value :: start, stride, size
      integer(c_intptr_t), intent(out) :: team
    end function
    integer(c_int) function moac_shmem_team_split_2d(parent, x_range, x_team, y_team) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: parent
      integer(c_int), value :: x_range
      integer(c_intptr_t), intent(out) :: x_team, y_team
    end function
    integer(c_int) function moac_shmem_team_destroy(team) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: team
    end function
    integer(c_int) function moac_shmem_team_my_pe(team) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: team
    end function
    integer(c_int) function moac_shmem_team_n_pes(team) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: team
    end function
    integer(c_intptr_t) function moac_shmem_tag(context, com_id) bind(c)
      import :: c_int32_t, c_intptr_t
      integer(c_intptr_t), value :: context
      integer(c_int32_t), value :: com_id
    end function
    integer(c_int) function moac_shmem_malloc_tagged(bytes, com_id, object) bind(c)
      import :: c_int, c_int32_t, c_ptr, c_size_t
      integer(c_size_t), value :: bytes
      integer(c_int32_t), value :: com_id
      type(c_ptr), intent(out) :: object
    end function
    integer(c_int) function moac_shmem_align(alignment, bytes, object) bind(c)
      import :: c_int, c_ptr, c_size_t
      integer(c_size_t), value :: alignment, bytes
      type(c_ptr), intent(out) :: object
    end function
    integer(c_int) function moac_shmem_realloc(old, bytes, object) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: old
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: object
    end function
    integer(c_int) function moac_shmem_iput(context, target, source, strides, pe) bind(c)
      import :: c_int, c_intptr_t, c_ptr, moac_shmem_strides
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: target, source
      type(moac_shmem_strides), value :: strides
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_iget(context, target, source, strides, pe) bind(c)
      import :: c_int, c_intptr_t, c_ptr, moac_shmem_strides
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: target, source
      type(moac_shmem_strides), value :: strides
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_atomic_apply(context, word, atomic, pe) bind(c)
      import :: c_int, c_intptr_t, c_ptr, moac_shmem_atomic
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: word
      type(moac_shmem_atomic), value :: atomic
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_atomic_apply_nbi(context, word, atomic, pe) bind(c)
      import :: c_int, c_intptr_t, c_ptr, moac_shmem_atomic
      integer(c_intptr_t), value :: context
      type(c_ptr), value :: word
      type(moac_shmem_atomic), value :: atomic
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_signal_send(context, signal, pe) bind(c)
      import :: c_int, c_intptr_t, moac_shmem_signal
      integer(c_intptr_t), value :: context
      type(moac_shmem_signal), value :: signal
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_signal_fetch(word, seen) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: word
      integer(c_int64_t), intent(out) :: seen
    end function
    integer(c_int) function moac_shmem_wait(which, condition, indices, hits) bind(c)
      import :: c_int, c_ptr, c_size_t, moac_shmem_condition
      integer(c_int), value :: which
      type(moac_shmem_condition), intent(in) :: condition
      type(c_ptr), value :: indices ! of size_t, from 0; c_null_ptr unless some
      integer(c_size_t), intent(out) :: hits
    end function
    integer(c_int) function moac_shmem_test(which, condition, indices, hits) bind(c)
      import :: c_int, c_ptr, c_size_t, moac_shmem_condition
      integer(c_int), value :: which
      type(moac_shmem_condition), intent(in) :: condition
      type(c_ptr), value :: indices ! of size_t, from 0; c_null_ptr unless some
      integer(c_size_t), intent(out) :: hits
    end function
    integer(c_int) function moac_shmem_alltoalls(team, target, source, strides) bind(c)
      import :: c_int, c_intptr_t, c_ptr, moac_shmem_strides
      integer(c_intptr_t), value :: team
      type(c_ptr), value :: target, source
      type(moac_shmem_strides), value :: strides
    end function
    integer(c_int) function moac_shmem_team_translate_pe(from, pe, to) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: from, to
      integer(c_int), value :: pe
    end function
    integer(c_int) function moac_shmem_context_team(context, team) bind(c)
      import :: c_int, c_intptr_t
      integer(c_intptr_t), value :: context
      integer(c_intptr_t), intent(out) :: team
    end function
    integer(c_int) function moac_shmem_lock(word) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: word
    end function
    integer(c_int) function moac_shmem_unlock(word) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: word
    end function
    integer(c_int) function moac_shmem_try_lock(word, taken) bind(c)
      import :: c_bool, c_int, c_ptr
      type(c_ptr), value :: word
      logical(c_bool), intent(out) :: taken
    end function
    logical(c_bool) function moac_shmem_initialized() bind(c)
      import :: c_bool
    end function
    logical(c_bool) function moac_shmem_addr_accessible(address, pe) bind(c)
      import :: c_bool, c_int, c_ptr
      type(c_ptr), value :: address
      integer(c_int), value :: pe
    end function
    integer(c_size_t) function moac_shmem_type_size(type) bind(c)
      import :: c_int, c_size_t
      integer(c_int), value :: type
    end function
    type(c_ptr) function moac_shmem_last_error() bind(c)
      import :: c_ptr
    end function
    type(c_ptr) function moac_shmem_status_text(status) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: status
    end function
    subroutine moac_shmem_global_exit(code) bind(c)
      import :: c_int
      integer(c_int), value :: code
    end subroutine
  end interface
contains
  ! This PE's last failure as text.
  function moac_shmem_error_text() result(text)
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length
    call c_f_pointer(moac_shmem_last_error(), letters, [1000])
    length = 0
    do while (letters(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate (character(length) :: text)
    text = transfer(letters(1:length), text)
  end function
end module
