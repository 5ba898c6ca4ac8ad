// Words that a C file may not use for its own things: data, one list a kind.
//
// Keywords are those of C11 and C23 with the usual extensions, and of C++17 and C++20, because the
// header is read by C++ too. Library names are macros, types, functions and objects of the C
// library and of POSIX: a macro would rewrite a parameter's name, and a kernel of such a name would
// replace the library's function in the whole program. Linkers own `end`, `edata` and `etext`.
#include "emitters/CNames.h"

namespace moac::emit {

const char *const cKeywords = R"(
alignas alignof and and_eq asm auto bitand bitor bool break case catch cdecl char char16_t
char32_t char8_t class co_await co_return co_yield compl complex concept const const_cast
consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum
explicit export extern false far final float for fortran friend goto if imaginary import inline
int long module mutable namespace near new noexcept noreturn not not_eq nullptr operator or or_eq
override pascal private protected public register reinterpret_cast requires restrict return short
signed sizeof static static_assert static_cast struct switch template this thread_local throw true
try typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile
wchar_t while xor xor_eq
)";

const char *const cLibraryNames = R"(
ACTION BIG_ENDIAN BUFSIZ BYTE_ORDER CHAR_BIT CHAR_MAX CHAR_MIN CLOCKS_PER_SEC CMPLX CMPLXF CMPLXL
DBL_DECIMAL_DIG DBL_DIG DBL_EPSILON DBL_HAS_SUBNORM DBL_MANT_DIG DBL_MAX DBL_MAX_10_EXP
DBL_MAX_EXP DBL_MIN DBL_MIN_10_EXP DBL_MIN_EXP DBL_TRUE_MIN DECIMAL_DIG DELAYTIMER_MAX DIR E2BIG
EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR
EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET
EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH
EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED EKEYREJECTED
EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP
EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH
ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM
ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY
ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENTRY ENXIO EOF EOPNOTSUPP EOVERFLOW
EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE
EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE
ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL EXIT_FAILURE
EXIT_SUCCESS FD_CLR FD_ISSET FD_SET FD_SETSIZE FD_ZERO FE_ALL_EXCEPT FE_DFL_ENV FE_DIVBYZERO
FE_DOWNWARD FE_INEXACT FE_INVALID FE_OVERFLOW FE_TONEAREST FE_TOWARDZERO FE_UNDERFLOW FE_UPWARD
FILE FILENAME_MAX FLT_DECIMAL_DIG FLT_DIG FLT_EPSILON FLT_EVAL_METHOD FLT_HAS_SUBNORM FLT_MANT_DIG
FLT_MAX FLT_MAX_10_EXP FLT_MAX_EXP FLT_MIN FLT_MIN_10_EXP FLT_MIN_EXP FLT_RADIX FLT_ROUNDS
FLT_TRUE_MIN FOPEN_MAX FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO
HOST_NAME_MAX HUGE_VAL HUGE_VALF HUGE_VALL I INFINITY INT16_C INT16_MAX INT16_MIN INT32_C
INT32_MAX INT32_MIN INT64_C INT64_MAX INT64_MIN INT8_C INT8_MAX INT8_MIN INTMAX_C INTMAX_MAX
INTMAX_MIN INTPTR_MAX INTPTR_MIN INT_MAX INT_MIN IOV_MAX LC_ADDRESS LC_ALL LC_COLLATE LC_CTYPE
LC_GLOBAL_LOCALE LC_IDENTIFICATION LC_MEASUREMENT LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC
LC_PAPER LC_TELEPHONE LC_TIME LDBL_DECIMAL_DIG LDBL_DIG LDBL_EPSILON LDBL_HAS_SUBNORM
LDBL_MANT_DIG LDBL_MAX LDBL_MAX_10_EXP LDBL_MAX_EXP LDBL_MIN LDBL_MIN_10_EXP LDBL_MIN_EXP
LDBL_TRUE_MIN LINE_MAX LITTLE_ENDIAN LLONG_MAX LLONG_MIN LOGIN_NAME_MAX LONG_BIT LONG_MAX LONG_MIN
MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MAX_CANON MAX_INPUT MB_CUR_MAX MB_LEN_MAX MINSIGSTKSZ M_1_PI
M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAME_MAX
NAN NFDBITS NGREG NGROUPS_MAX NSIG NULL NZERO ONCE_FLAG_INIT PATH_MAX PDP_ENDIAN PIPE_BUF
PTRDIFF_MAX PTRDIFF_MIN P_tmpdir RAND_MAX RE_DUP_MAX RTSIG_MAX SCHAR_MAX SCHAR_MIN SEEK_CUR
SEEK_END SEEK_SET SEM_VALUE_MAX SHRT_MAX SHRT_MIN SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT
SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX
SIGRTMIN SIGSEGV SIGSTKFLT SIGSTKSZ SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG
SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIG_BLOCK SIG_DFL
SIG_ERR SIG_HOLD SIG_IGN SIG_SETMASK SIG_UNBLOCK SIZE_MAX SSIZE_MAX TIMER_ABSTIME TIME_UTC TMP_MAX
TSS_DTOR_ITERATIONS TTY_NAME_MAX UCHAR_MAX UINT16_C UINT16_MAX UINT32_C UINT32_MAX UINT64_C
UINT64_MAX UINT8_C UINT8_MAX UINTMAX_C UINTMAX_MAX UINTPTR_MAX UINT_MAX ULLONG_MAX ULONG_MAX
USHRT_MAX VISIT WCHAR_MAX WCHAR_MIN WCONTINUED WEOF WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED
WIFSIGNALED WIFSTOPPED WINT_MAX WINT_MIN WNOHANG WNOWAIT WORD_BIT WSTOPPED WSTOPSIG WTERMSIG
WUNTRACED a64l abort abs accept access acct acos acosf acosh acoshf acoshl acosl active_reg_t
adjtime aio_cancel aio_error aio_fsync aio_read aio_return aio_suspend aio_write alarm
aligned_alloc alloca alphasort arc4random arc4random_buf arc4random_uniform asctime asctime_r asin
asinf asinh asinhf asinhl asinl assert atan atan2 atan2f atan2l atanf atanh atanhf atanhl atanl
atof atoi atol atoll bcmp bcopy bind bindresvport blkcnt_t blksize_t brk bsearch btowc bzero
c16rtomb c32rtomb cabs cabsf cabsl cacos cacosf cacosh cacoshf cacoshl cacosl caddr_t call_once
calloc carg cargf cargl casin casinf casinh casinhf casinhl casinl catan catanf catanh catanhf
catanhl catanl catclose catgets catopen cbrt cbrtf cbrtl cc_t ccos ccosf ccosh ccoshf ccoshl ccosl
ceil ceilf ceill cexp cexpf cexpl cfgetispeed cfgetospeed cfmakeraw cfsetispeed cfsetospeed
cfsetspeed chdir chmod chown chroot cimag cimagf cimagl clearenv clearerr clearerr_unlocked clock
clock_getcpuclockid clock_getres clock_gettime clock_nanosleep clock_settime clock_t clockid_t
clog clogf clogl close closedir closefrom closelog cnd_broadcast cnd_destroy cnd_init cnd_signal
cnd_t cnd_timedwait cnd_wait confstr conj conjf conjl connect copysign copysignf copysignl cos
cosf cosh coshf coshl cosl cpow cpowf cpowl cproj cprojf cprojl cpu_set_t creal crealf creall
creat csin csinf csinh csinhf csinhl csinl csqrt csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl
ctanl ctermid ctime ctime_r daddr_t daemon data_start daylight defined dev_t difftime dirfd
dirname div div_t dlclose dlerror dlopen dlsym double_t dprintf drand48 drand48_r drem dremf dreml
dup dup2 duplocale dysize ecvt ecvt_r edata end endgrent endhostent endnetent endnetgrent
endprotoent endpwent endrpcent endservent endusershell environ erand48 erand48_r erf erfc erfcf
erfcl erff erfl errno etext execl execle execlp execv execve execvp exit exp exp2 exp2f exp2l expf
expl explicit_bzero expm1 expm1f expm1l fabs fabsf fabsl faccessat fchdir fchmod fchmodat fchown
fchownat fclose fcntl fcvt fcvt_r fd_mask fd_set fdatasync fdim fdimf fdiml fdopen fdopendir
feclearexcept fegetenv fegetexceptflag fegetround feholdexcept fenv_t feof feof_unlocked
feraiseexcept ferror ferror_unlocked fesetenv fesetexceptflag fesetround fetestexcept feupdateenv
fexcept_t fexecve fflush fflush_unlocked ffs ffsl ffsll fgetc fgetc_unlocked fgetgrent fgetgrent_r
fgetpos fgetpwent fgetpwent_r fgets fgetwc fgetws fileno fileno_unlocked finite finitef finitel
float_t flockfile floor floorf floorl fma fmaf fmal fmax fmaxf fmaxl fmemopen fmin fminf fminl
fmod fmodf fmodl fnmatch fopen fork fpathconf fpclassify fpos_t fpregset_t fprintf fputc
fputc_unlocked fputs fputwc fputws fread fread_unlocked free freeaddrinfo freelocale freopen frexp
frexpf frexpl fsblkcnt_t fscanf fseek fseeko fsetpos fsfilcnt_t fsid_t fstat fstatat fsync ftell
ftello ftruncate ftrylockfile ftw funlockfile futimens futimes fwide fwprintf fwrite
fwrite_unlocked fwscanf gai_strerror gamma gammaf gammal gcvt getaddrinfo getc getc_unlocked
getchar getchar_unlocked getcwd getdate getdate_err getdelim getdirentries getdomainname
getdtablesize getegid getentropy getenv geteuid getgid getgrent getgrgid getgrgid_r getgrnam
getgrnam_r getgrouplist getgroups gethostbyaddr gethostbyaddr_r gethostbyname gethostbyname2
gethostbyname2_r gethostbyname_r gethostent gethostent_r gethostid gethostname getitimer getline
getloadavg getlogin getlogin_r getnameinfo getnetbyaddr getnetbyaddr_r getnetbyname getnetbyname_r
getnetent getnetent_r getnetgrent getnetgrent_r getopt getpagesize getpass getpeername getpgid
getpgrp getpid getppid getpriority getprotobyname getprotobyname_r getprotobynumber
getprotobynumber_r getprotoent getprotoent_r getpwent getpwent_r getpwnam getpwnam_r getpwuid
getpwuid_r getrlimit getrpcbyname getrpcbyname_r getrpcbynumber getrpcbynumber_r getrpcent
getrpcent_r getrusage getservbyname getservbyname_r getservbyport getservbyport_r getservent
getservent_r getsid getsockname getsockopt getsubopt gettimeofday getuid getusershell getw getwc
getwchar getwd gid_t glob glob_t globfree gmtime gmtime_r grantpt greg_t gsignal hcreate hdestroy
herror hsearch hstrerror htonl htons hypot hypotf hypotl i386 iconv iconv_close iconv_open iconv_t
id_t idtype_t if_freenameindex if_indextoname if_nameindex if_nametoindex ilogb ilogbf ilogbl
imaxabs imaxdiv imaxdiv_t in6addr_any in6addr_loopback in_addr_t in_port_t index inet_addr
inet_aton inet_lnaof inet_makeaddr inet_netof inet_network inet_nsap_addr inet_nsap_ntoa inet_ntoa
inet_ntop inet_pton initgroups initstate initstate_r innetgr ino_t insque int16_t int32_t int64_t
int8_t intmax_t intptr_t iruserok iruserok_af isalnum isalnum_l isalpha isalpha_l isascii isatty
isblank isblank_l iscntrl iscntrl_l isdigit isdigit_l isfdtype isfinite isgraph isgraph_l
isgreater isgreaterequal isinf isinff isinfl isless islessequal islessgreater islower islower_l
isnan isnanf isnanl isnormal isprint isprint_l ispunct ispunct_l isspace isspace_l isunordered
isupper isupper_l iswalnum iswalnum_l iswalpha iswalpha_l iswblank iswblank_l iswcntrl iswcntrl_l
iswctype iswctype_l iswdigit iswdigit_l iswgraph iswgraph_l iswlower iswlower_l iswprint
iswprint_l iswpunct iswpunct_l iswspace iswspace_l iswupper iswupper_l iswxdigit iswxdigit_l
isxdigit isxdigit_l j0 j0f j0l j1 j1f j1l jn jnf jnl jrand48 jrand48_r key_t kill kill_dependency
killpg l64a labs lchmod lchown lcong48 lcong48_r ldexp ldexpf ldexpl ldiv ldiv_t lfind lgamma
lgamma_r lgammaf lgammaf_r lgammal lgammal_r link linkat linux lio_listio listen llabs lldiv
lldiv_t llrint llrintf llrintl llround llroundf llroundl locale_t localeconv localtime localtime_r
lockf loff_t log log10 log10f log10l log1p log1pf log1pl log2 log2f log2l logb logbf logbl logf
logl longjmp lrand48 lrand48_r lrint lrintf lrintl lround lroundf lroundl lsearch lseek lstat
lutimes madvise main mallinfo mallinfo2 malloc malloc_info malloc_stats malloc_trim
malloc_usable_size mallopt math_errhandling max_align_t mblen mbrlen mbrtoc16 mbrtoc32 mbrtowc
mbsinit mbsnrtowcs mbsrtowcs mbstate_t mbstowcs mbtowc mcontext_t memalign memccpy memchr memcmp
memcpy memmove memory_order memset mincore mkdir mkdirat mkdtemp mkfifo mkfifoat mknod mknodat
mkstemp mkstemps mktemp mktime mlock mlockall mmap mode_t modf modff modfl mprotect mq_close
mq_getattr mq_notify mq_open mq_receive mq_send mq_setattr mq_timedreceive mq_timedsend mq_unlink
mqd_t mrand48 mrand48_r msync mtx_destroy mtx_init mtx_lock mtx_t mtx_timedlock mtx_trylock
mtx_unlock munlock munlockall munmap nan nanf nanl nanosleep nearbyint nearbyintf nearbyintl
newlocale nextafter nextafterf nextafterl nexttoward nexttowardf nexttowardl nfds_t nftw nice
nl_catd nl_item nl_langinfo nl_langinfo_l nlink_t nrand48 nrand48_r ntohl ntohs off_t offsetof
on_exit once_flag open open_memstream open_wmemstream openat opendir openlog optarg opterr optind
optopt pathconf pause pclose perror pid_t pipe poll popen posix_fadvise posix_fallocate
posix_madvise posix_memalign posix_openpt pow powf powl pread preadv printf profil pselect
psiginfo psignal ptrdiff_t ptsname putc putc_unlocked putchar putchar_unlocked putenv putpwent
puts putw putwc putwchar pvalloc pwrite pwritev qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort quad_t
quick_exit raise rand rand_r random random_r rcmd rcmd_af re_syntax_options read readdir readdir_r
readlink readlinkat readv realloc reallocarray realpath recv recvfrom recvmsg reg_errcode_t
reg_syntax_t regcomp regerror regex_t regexec regfree regmatch_t regoff_t remainder remainderf
remainderl remove remque remquo remquof remquol rename renameat revoke rewind rewinddir rexec
rexec_af rindex rint rintf rintl rlim_t rmdir round roundf roundl rpmatch rresvport rresvport_af
ruserok ruserok_af s_reg_t sbrk scalb scalbf scalbl scalbln scalblnf scalblnl scalbn scalbnf
scalbnl scandir scanf sched_get_priority_max sched_get_priority_min sched_getparam
sched_getscheduler sched_rr_get_interval sched_setparam sched_setscheduler sched_yield seed48
seed48_r seekdir select sem_close sem_destroy sem_getvalue sem_init sem_open sem_post sem_t
sem_timedwait sem_trywait sem_unlink sem_wait send sendmsg sendto setbuf setbuffer setdomainname
setegid setenv seteuid setgid setgrent setgroups sethostent sethostid sethostname setitimer setjmp
setlinebuf setlocale setlogin setlogmask setnetent setnetgrent setpgid setpgrp setpriority
setprotoent setpwent setregid setreuid setrlimit setrpcent setservent setsid setsockopt setstate
setstate_r settimeofday setuid setusershell setvbuf shm_open shm_unlink shutdown sig_atomic_t
sig_t sigaction sigaddset sigaltstack sigblock sigdelset sigemptyset sigevent_t sigfillset
siggetmask sighold sigignore siginfo_t siginterrupt sigismember siglongjmp sigmask signal signbit
signgam significand significandf significandl sigpause sigpending sigprocmask sigqueue sigrelse
sigreturn sigset sigset_t sigsetjmp sigsetmask sigstack sigsuspend sigtimedwait sigval_t sigwait
sigwaitinfo sin sinf sinh sinhf sinhl sinl size_t sleep snprintf sockatmark socket socketpair
socklen_t speed_t sprintf sqrt sqrtf sqrtl srand srand48 srand48_r srandom srandom_r sscanf
ssignal ssize_t stack_t stat stderr stdin stdout stpcpy stpncpy strcasecmp strcasecmp_l strcat
strchr strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strfmon
strfmon_l strftime strftime_l strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup
strnlen strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof strtoimax strtok
strtok_r strtol strtold strtoll strtoq strtoul strtoull strtoumax strtouq strxfrm strxfrm_l
suseconds_t swab swprintf swscanf symlink symlinkat sync syscall sysconf syslog system tan tanf
tanh tanhf tanhl tanl tcdrain tcflag_t tcflow tcflush tcgetattr tcgetpgrp tcgetsid tcsendbreak
tcsetattr tcsetpgrp tdelete telldir tempnam tfind tgamma tgammaf tgammal thrd_create thrd_current
thrd_detach thrd_equal thrd_exit thrd_join thrd_sleep thrd_t thrd_yield time time_t timegm
timelocal timer_create timer_delete timer_getoverrun timer_gettime timer_settime timer_t times
timespec_get timezone tmpfile tmpnam tmpnam_r toascii toascii_l tolower tolower_l toupper
toupper_l towctrans towctrans_l towlower towlower_l towupper towupper_l trunc truncate truncf
truncl tsearch tss_create tss_delete tss_get tss_set tss_t ttyname ttyname_r ttyslot twalk tzname
tzset u_char u_int u_int16_t u_int32_t u_int64_t u_int8_t u_long u_quad_t u_short ualarm
ucontext_t uid_t uint uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t ulimit ulong umask
uname ungetc ungetwc unix unlink unlinkat unlockpt unsetenv useconds_t uselocale ushort usleep
utime utimensat utimes va_arg va_copy va_end va_list va_start valloc vdprintf vfork vfprintf
vfscanf vfwprintf vfwscanf vhangup vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf
vsyslog vwprintf vwscanf wait wait3 wait4 waitid waitpid wcpcpy wcpncpy wcrtomb wcscasecmp
wcscasecmp_l wcscat wcschr wcscmp wcscoll wcscoll_l wcscpy wcscspn wcsdup wcsftime wcslen
wcsncasecmp wcsncasecmp_l wcsncat wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs
wcsspn wcsstr wcstod wcstof wcstoimax wcstok wcstol wcstold wcstoll wcstombs wcstoul wcstoull
wcstoumax wcswcs wcswidth wcsxfrm wcsxfrm_l wctob wctomb wctrans wctrans_l wctrans_t wctype
wctype_l wctype_t wcwidth wint_t wmemchr wmemcmp wmemcpy wmemmove wmemset wordexp wordexp_t
wordfree wprintf write writev wscanf y0 y0f y0l y1 y1f y1l yn ynf ynl
)";

} // namespace moac::emit
