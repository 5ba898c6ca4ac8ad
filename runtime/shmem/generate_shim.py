"""Write shmem.h and its implementation: the OpenSHMEM names mapped onto moac_shmem.h.

The standard has one function per type, with and without a context: more than two thousand names that differ in
nothing but a type. They are data here: a table of types, a list of function shapes, one loop. The generated header
has real prototypes, so a wrong call in a user's program is reported against what the standard prints.

    generate_shim.py HEADER SOURCE...    (the functions are spread over the given sources)
"""
import sys

# (name, C type, moac type, groups): r RMA, a standard AMO, e extended AMO, b bitwise AMO, w wait,
# l logical reductions, m min/max, s sum/prod, g listed in C11 generic selections
TYPES = [
    ("float", "float", "F32", "r e m s g"),
    ("double", "double", "F64", "r e m s g"),
    ("longdouble", "long double", "LONG_DOUBLE", "r m s g"),
    ("char", "char", "CHAR", "r m s g"),
    ("schar", "signed char", "I8", "r m s g"),
    ("short", "short", "I16", "r w m s g"),
    ("int", "int", "I32", "r a e w m s g"),
    ("long", "long", "I64", "r a e w m s g"),
    ("longlong", "long long", "I64", "r a e w m s g"),
    ("uchar", "unsigned char", "U8", "r l m s g"),
    ("ushort", "unsigned short", "U16", "r w l m s g"),
    ("uint", "unsigned int", "U32", "r a e b w l m s g"),
    ("ulong", "unsigned long", "U64", "r a e b w l m s g"),
    ("ulonglong", "unsigned long long", "U64", "r a e b w l m s g"),
    ("int8", "int8_t", "I8", "r l m s"),
    ("int16", "int16_t", "I16", "r l m s"),
    ("int32", "int32_t", "I32", "r a e b w l m s"),
    ("int64", "int64_t", "I64", "r a e b w l m s"),
    ("uint8", "uint8_t", "U8", "r l m s"),
    ("uint16", "uint16_t", "U16", "r l m s"),
    ("uint32", "uint32_t", "U32", "r a e b w l m s"),
    ("uint64", "uint64_t", "U64", "r a e b w l m s"),
    ("size", "size_t", "U64", "r a e b w l m s"),
    ("ptrdiff", "ptrdiff_t", "I64", "r a e w m s"),
    ("complexd", "SHMEM_COMPLEX_DOUBLE", "C128", "s g"),
    ("complexf", "SHMEM_COMPLEX_FLOAT", "C64", "s g"),
]
SIZES = [("8", 1), ("16", 2), ("32", 4), ("64", 8), ("128", 16)]
OPS = [("and", "AND", "l"), ("or", "OR", "l"), ("xor", "XOR", "l"), ("min", "MIN", "m"), ("max", "MAX", "m"),
       ("sum", "SUM", "s"), ("prod", "PROD", "s")]

header, source, generics = [], [], []


def emit(result, name, parameters, body):
    """One function: prototype, definition, and the alias that the profiling interface asks for."""
    header.append(f"{result} {name}({parameters});")
    header.append(f"{result} p{name}({parameters});")
    source.append(f"{result} p{name}({parameters}) {{ {body} }}")
    arguments = ", ".join(p.split()[-1].lstrip("*").split("[")[0] for p in parameters.split(",") if p != "void")
    call = f"p{name}({arguments});"
    source.append(f"WEAK {result} {name}({parameters}) {{ {'' if result == 'void' else 'return '}{call} }}")


def emit_both(result, stem, name, parameters, body):
    """The default-context and the ctx form of a function; CTX in the body is the context."""
    emit(result, f"{stem}{name}", parameters, body.replace("CTX", "SHMEM_CTX_DEFAULT"))
    emit(result, f"{stem}ctx_{name}", "shmem_ctx_t ctx, " + parameters, body.replace("CTX", "ctx"))


def generic(name, group, types, pattern, selector="1", contexts=True):
    """A C11 selection over the first (or first after a context) argument's type."""
    signed = ("int8", "int16", "int32", "int64") if group in ("l", "b") else ()
    chosen = [t for t in types if group in t[3].split() and ("g" in t[3].split() or t[0] in signed)]
    generics.append((name, chosen, pattern, contexts, selector))


def having(group):
    return [t for t in TYPES if group in t[3].split()]


def rma():
    for kind in ("put", "get"):
        for suffix in ("", "_nbi"):
            for name, size in SIZES + [("mem", 1)]:
                emit_both("void", "shmem_", f"{kind}{name}{suffix}", "void *dest, const void *source, size_t n, int pe",
                          f"must(moac_shmem_{kind}{suffix}(CTX, dest, source, bytes_of(n, {size}), pe));")
            for name, ctype, _, _ in having("r"):
                emit_both("void", "shmem_", f"{name}_{kind}{suffix}",
                          f"{ctype} *dest, const {ctype} *source, size_t nelems, int pe",
                          f"must(moac_shmem_{kind}{suffix}(CTX, dest, source, bytes_of(nelems, sizeof *dest), pe));")
            generic(f"{kind}{suffix}", "r", TYPES, f"{{n}}_{kind}{suffix}")
        for name, size in SIZES:
            emit_both("void", "shmem_", f"i{kind}{name}",
                      "void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe",
                      f"must(moac_shmem_i{kind}(CTX, dest, source, strided(dst, sst, 1, nelems, {size}), pe));")
            emit_both("void", "shmem_", f"ib{kind}{name}",
                      "void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, "
                      "int pe",
                      f"must(moac_shmem_i{kind}(CTX, dest, source, strided(dst, sst, bsize, nblocks, {size}), pe));")
        for name, ctype, _, _ in having("r"):
            emit_both("void", "shmem_", f"{name}_i{kind}",
                      f"{ctype} *dest, const {ctype} *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe",
                      f"must(moac_shmem_i{kind}(CTX, dest, source, strided(dst, sst, 1, nelems, sizeof *dest), pe));")
            emit_both("void", "shmem_", f"{name}_ib{kind}",
                      f"{ctype} *dest, const {ctype} *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, "
                      "size_t nblocks, int pe",
                      f"must(moac_shmem_i{kind}(CTX, dest, source, strided(dst, sst, bsize, nblocks, sizeof *dest), "
                      "pe));")
        generic(f"i{kind}", "r", TYPES, f"{{n}}_i{kind}")
        generic(f"ib{kind}", "r", TYPES, f"{{n}}_ib{kind}")
    for name, ctype, _, _ in having("r"):
        emit_both("void", "shmem_", f"{name}_p", f"{ctype} *dest, {ctype} value, int pe",
                  "must(moac_shmem_put(CTX, dest, &value, sizeof value, pe));")
        emit_both(ctype, "shmem_", f"{name}_g", f"const {ctype} *source, int pe",
                  f"{ctype} value = 0; must(moac_shmem_get(CTX, &value, source, sizeof value, pe)); return value;")
    generic("p", "r", TYPES, "{n}_p")
    generic("g", "r", TYPES, "{n}_g", "const")


def signals():
    tail = "uint64_t *sig_addr, uint64_t signal, int sig_op, int pe"
    for suffix in ("", "_nbi"):
        call = (f"must(moac_shmem_put_signal{suffix}(CTX, dest, source, bytes_of(nelems, SIZE), "
                "(moac_shmem_signal){sig_addr, signal, (moac_shmem_signal_op)sig_op}, pe));")
        for name, size in SIZES + [("mem", 1)]:
            emit_both("void", "shmem_", f"put{name}_signal{suffix}",
                      "void *dest, const void *source, size_t nelems, " + tail, call.replace("SIZE", str(size)))
        for name, ctype, _, _ in having("r"):
            emit_both("void", "shmem_", f"{name}_put_signal{suffix}",
                      f"{ctype} *dest, const {ctype} *source, size_t nelems, " + tail,
                      call.replace("SIZE", "sizeof *dest"))
        generic(f"put_signal{suffix}", "r", TYPES, f"{{n}}_put_signal{suffix}")
    for name, op in (("set", "SET"), ("add", "ADD")):
        emit_both("void", "shmem_", f"signal_{name}", "uint64_t *sig_addr, uint64_t signal, int pe",
                  f"must(moac_shmem_signal_send(CTX, (moac_shmem_signal){{sig_addr, signal, MOAC_SHMEM_SIGNAL_{op}}}, "
                  "pe));")
    emit("uint64_t", "shmem_signal_fetch", "const uint64_t *sig_addr",
         "uint64_t value = 0; must(moac_shmem_signal_fetch(sig_addr, &value)); return value;")
    emit("uint64_t", "shmem_signal_wait_until", "uint64_t *sig_addr, int cmp, uint64_t cmp_value",
         "uint64_t seen = 0; must(moac_shmem_signal_wait_until(sig_addr, (moac_shmem_comparison)cmp, cmp_value, "
         "&seen)); return seen;")


# name, op, extra parameters, operand, compare, fetches, group, deprecated name
ATOMICS = [
    ("fetch", "FETCH", "", "NULL", "NULL", True, "e", "fetch"),
    ("set", "SET", ", T value", "&value", "NULL", False, "e", "set"),
    ("compare_swap", "COMPARE_SWAP", ", T cond, T value", "&value", "&cond", True, "a", "cswap"),
    ("swap", "SWAP", ", T value", "&value", "NULL", True, "e", "swap"),
    ("fetch_inc", "ADD", "", "&value", "NULL", True, "a", "finc"),
    ("inc", "ADD", "", "&value", "NULL", False, "a", "inc"),
    ("fetch_add", "ADD", ", T value", "&value", "NULL", True, "a", "fadd"),
    ("add", "ADD", ", T value", "&value", "NULL", False, "a", "add"),
    ("fetch_and", "AND", ", T value", "&value", "NULL", True, "b", None),
    ("and", "AND", ", T value", "&value", "NULL", False, "b", None),
    ("fetch_or", "OR", ", T value", "&value", "NULL", True, "b", None),
    ("or", "OR", ", T value", "&value", "NULL", False, "b", None),
    ("fetch_xor", "XOR", ", T value", "&value", "NULL", True, "b", None),
    ("xor", "XOR", ", T value", "&value", "NULL", False, "b", None),
]


def atomics():
    for name, op, extra, operand, compare, fetches, group, old in ATOMICS:
        for tname, ctype, mtype, _ in having(group):
            const = "const " if op == "FETCH" else ""
            parameters = f"{const}{ctype} *dest{extra.replace('T', ctype)}, int pe"
            one = f"{ctype} value = 1; " if name.endswith("inc") else ""
            descriptor = f"(moac_shmem_atomic){{MOAC_SHMEM_ATOMIC_{op}, MOAC_SHMEM_{mtype}, {operand}, {compare}, "
            word = "(void *)(uintptr_t)dest"
            before, after = ("", "")
            if fetches:
                before, after = (f"{ctype} fetched = 0; ", " return fetched;")
            body = (f"{one}{before}must(moac_shmem_atomic_apply(CTX, {word}, {descriptor}"
                    f"{'&fetched' if fetches else 'NULL'}}}, pe));{after}")
            emit_both(ctype if fetches else "void", "shmem_", f"{tname}_atomic_{name}", parameters, body)
            if old is not None:  # the standard lists the signed types, suites use all
                emit(ctype if fetches else "void", f"shmem_{tname}_{old}", parameters,
                     body.replace("CTX", "SHMEM_CTX_DEFAULT"))
            if fetches:
                emit_both("void", "shmem_", f"{tname}_atomic_{name}_nbi", f"{ctype} *fetch, " + parameters,
                          f"{one}must(moac_shmem_atomic_apply_nbi(CTX, {word}, {descriptor}fetch}}, pe));")
        generic(f"atomic_{name}", group, TYPES, f"{{n}}_atomic_{name}", "const" if op == "FETCH" else "1")
        if fetches:
            generic(f"atomic_{name}_nbi", group, TYPES, f"{{n}}_atomic_{name}_nbi")
        if old is not None:
            generic(old, group, TYPES, f"{{n}}_{old}", "const" if op == "FETCH" else "1", False)


def waits():
    for tname, ctype, mtype, _ in having("w"):
        def condition(count, status, operand, vector, cmp="cmp"):
            return (f"moac_shmem_condition c = {{ivars, {count}, {status}, MOAC_SHMEM_{mtype}, "
                    f"(moac_shmem_comparison){cmp}, {operand}, {vector}, 0}}; size_t hits = 0; ")
        single = condition("1", "NULL", "&cmp_value", "false")
        emit("void", f"shmem_{tname}_wait_until", f"{ctype} *ivars, int cmp, {ctype} cmp_value",
             single + "must(moac_shmem_wait(MOAC_SHMEM_ALL, &c, NULL, &hits));")
        emit("int", f"shmem_{tname}_test", f"{ctype} *ivars, int cmp, {ctype} cmp_value",
             single + "must(moac_shmem_test(MOAC_SHMEM_ALL, &c, NULL, &hits)); return hits != 0;")
        emit("void", f"shmem_{tname}_wait", f"{ctype} *ivars, {ctype} cmp_value",
             condition("1", "NULL", "&cmp_value", "false", "SHMEM_CMP_NE") +
             "must(moac_shmem_wait(MOAC_SHMEM_ALL, &c, NULL, &hits));")
        for vector in (False, True):
            end = "_vector" if vector else ""
            value = f"{ctype} *cmp_values" if vector else f"{ctype} cmp_value"
            many = condition("nelems", "status", "cmp_values" if vector else "&cmp_value", "true" if vector else "false")
            for verb in ("wait_until", "test"):
                call = "moac_shmem_wait" if verb == "wait_until" else "moac_shmem_test"
                emit("int" if verb == "test" else "void", f"shmem_{tname}_{verb}_all{end}",
                     f"{ctype} *ivars, size_t nelems, const int *status, int cmp, {value}",
                     many + f"must({call}(MOAC_SHMEM_ALL, &c, NULL, &hits));" +
                     (" return hits != 0;" if verb == "test" else ""))
                emit("size_t", f"shmem_{tname}_{verb}_any{end}",
                     f"{ctype} *ivars, size_t nelems, const int *status, int cmp, {value}",
                     many + f"must({call}(MOAC_SHMEM_ANY, &c, NULL, &hits)); return hits;")
                emit("size_t", f"shmem_{tname}_{verb}_some{end}",
                     f"{ctype} *ivars, size_t nelems, size_t *indices, const int *status, int cmp, {value}",
                     many + f"must({call}(MOAC_SHMEM_SOME, &c, indices, &hits)); return hits;")
    for verb in ("wait_until", "test"):
        for form in ("", "_all", "_any", "_some", "_all_vector", "_any_vector", "_some_vector"):
            generic(f"{verb}{form}", "w", TYPES, f"{{n}}_{verb}{form}", "1", False)


def collectives():
    shapes = [("broadcast", ", size_t nelems, int PE_root", "bytes_of(nelems, SIZE), PE_root"),
              ("collect", ", size_t nelems", "bytes_of(nelems, SIZE)"),
              ("fcollect", ", size_t nelems", "bytes_of(nelems, SIZE)"),
              ("alltoall", ", size_t nelems", "bytes_of(nelems, SIZE)"),
              ("alltoalls", ", ptrdiff_t dst, ptrdiff_t sst, size_t nelems", "strided(dst, sst, 1, nelems, SIZE)")]
    for shape, extra, call in shapes:
        emit("int", f"shmem_{shape}mem", f"shmem_team_t team, void *dest, const void *source{extra}",
             f"return said(moac_shmem_{shape}(team, dest, source, {call.replace('SIZE', '1')}));")
        for name, ctype, _, _ in having("r"):
            emit("int", f"shmem_{name}_{shape}",
                 f"shmem_team_t team, {ctype} *dest, const {ctype} *source{extra}",
                 f"return said(moac_shmem_{shape}(team, dest, source, {call.replace('SIZE', 'sizeof *dest')}));")
        generic(shape, "r", TYPES, f"{{n}}_{shape}", "2", False)
    for op, mop, group in OPS:
        for name, ctype, mtype, _ in having(group):
            head = f"shmem_team_t team, {ctype} *dest, const {ctype} *source, size_t nreduce"
            for shape, call in (("reduce", "reduce"), ("reducescatter", "reduce_scatter")):
                emit("int", f"shmem_{name}_{op}_{shape}", head,
                     f"return said(moac_shmem_{call}(team, MOAC_SHMEM_{mop}, MOAC_SHMEM_{mtype}, dest, source, "
                     "nreduce));")
        generic(f"{op}_reduce", group, TYPES, f"{{n}}_{op}_reduce", "2", False)
        for name in ("short", "int", "long", "longlong", "float", "double", "longdouble", "complexd", "complexf"):
            tname, ctype, mtype, groups = next(t for t in TYPES if t[0] == name)
            if group not in groups.split() and not (group == "l" and mtype[0] == "I"):
                continue
            emit("void", f"shmem_{name}_{op}_to_all",
                 f"{ctype} *dest, const {ctype} *source, int nreduce, int PE_start, int logPE_stride, int PE_size, "
                 f"{ctype} *pWrk, long *pSync",
                 "(void)pWrk; moac_shmem_active_reduce((moac_shmem_active){PE_start, logPE_stride, PE_size, pSync}, "
                 f"MOAC_SHMEM_{mop}, MOAC_SHMEM_{mtype}, dest, source, nreduce);")
    for form, inclusive in (("inscan", "true"), ("exscan", "false")):
        for name, ctype, mtype, _ in having("s"):
            emit("int", f"shmem_{name}_sum_{form}",
                 f"shmem_team_t team, {ctype} *dest, const {ctype} *source, size_t nelems",
                 f"return said(moac_shmem_scan(team, {inclusive}, MOAC_SHMEM_{mtype}, dest, source, nelems));")
        generic(f"sum_{form}", "s", TYPES, f"{{n}}_sum_{form}", "2", False)


# result, name, parameters, body; "ctx" marks those with a context form
PLAIN = """
void init | void | moac_shmem_shim_init();
int init_thread | int requested, int *provided | moac_shmem_shim_init(); *provided = SHMEM_THREAD_MULTIPLE; (void)requested; return 0;
void start_pes_ | int npes | (void)npes; moac_shmem_shim_init();
void query_thread | int *provided | *provided = SHMEM_THREAD_MULTIPLE;
void query_initialized | int *initialized | *initialized = moac_shmem_initialized();
void finalize | void | if (moac_shmem_initialized()) must(moac_shmem_finalize());
void global_exit | int status | moac_shmem_global_exit(status);
int my_pe | void | return moac_shmem_my_pe();
int n_pes | void | return moac_shmem_n_pes();
int pe_accessible | int pe | return pe >= 0 && pe < moac_shmem_n_pes();
int addr_accessible | const void *addr, int pe | return moac_shmem_addr_accessible(addr, pe);
void *ptr | const void *dest, int pe | void *at = NULL; moac_shmem_ptr(dest, pe, &at); return at;
void *team_ptr | shmem_team_t team, const void *dest, int pe | return pshmem_ptr(dest, moac_shmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD));
void info_get_version | int *major, int *minor | *major = SHMEM_MAJOR_VERSION; *minor = SHMEM_MINOR_VERSION;
void info_get_name | char *name | memcpy(name, SHMEM_VENDOR_STRING, sizeof SHMEM_VENDOR_STRING);
void pcontrol_ | int level | (void)level;
void *malloc | size_t size | void *object = NULL; allocated(moac_shmem_malloc(size, &object)); return object;
void *malloc_with_hints | size_t size, long hints | (void)hints; return pshmem_malloc(size);
void *calloc | size_t count, size_t size | void *object = NULL; allocated(moac_shmem_calloc(count, size, &object)); return object;
void *align | size_t alignment, size_t size | void *object = NULL; allocated(moac_shmem_align(alignment, size, &object)); return object;
void *realloc | void *old, size_t size | void *object = NULL; allocated(moac_shmem_realloc(old, size, &object)); return object;
void free | void *object | must(moac_shmem_free(object));
int ctx_create | long options, shmem_ctx_t *ctx | return said(moac_shmem_context_create(SHMEM_TEAM_WORLD, options, 0, ctx));
int team_create_ctx | shmem_team_t team, long options, shmem_ctx_t *ctx | return said(moac_shmem_context_create(team, options, 0, ctx));
void ctx_destroy | shmem_ctx_t ctx | if (ctx != SHMEM_CTX_INVALID) must(moac_shmem_context_destroy(ctx));
int ctx_get_team | shmem_ctx_t ctx, shmem_team_t *team | return said(moac_shmem_context_team(ctx, team));
void ctx_session_start | shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t *config, long mask | (void)ctx, (void)options, (void)config, (void)mask;
void ctx_session_stop | shmem_ctx_t ctx | (void)ctx;
ctx void fence | void | if (CTX != MOAC_SHMEM_CONTEXT_INVALID) must(moac_shmem_fence(CTX));
ctx void quiet | void | if (CTX != MOAC_SHMEM_CONTEXT_INVALID) must(moac_shmem_quiet(CTX));
ctx void pe_quiet | const int *target_pes, size_t npes | if (CTX != MOAC_SHMEM_CONTEXT_INVALID) must(moac_shmem_pe_quiet(CTX, target_pes, npes));
void barrier_all | void | must(moac_shmem_barrier(SHMEM_TEAM_WORLD));
void sync_all | void | must(moac_shmem_sync(SHMEM_TEAM_WORLD));
int team_sync | shmem_team_t team | return said(moac_shmem_sync(team));
int team_my_pe | shmem_team_t team | return moac_shmem_team_my_pe(team);
int team_n_pes | shmem_team_t team | return moac_shmem_team_n_pes(team);
int team_translate_pe | shmem_team_t from, int pe, shmem_team_t to | return moac_shmem_team_translate_pe(from, pe, to);
int team_get_config | shmem_team_t team, long mask, shmem_team_config_t *config | if (moac_shmem_team_my_pe(team) < 0) return -1; if ((mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) config->num_contexts = moac_shmem_num_contexts(team, -1); return 0;
int team_split_strided | shmem_team_t parent, int start, int stride, int size, const shmem_team_config_t *config, long mask, shmem_team_t *team | int failed = said(moac_shmem_team_split_strided(parent, start, stride, size, team)); configure(*team, config, mask); return failed;
int team_split_2d | shmem_team_t parent, int xrange, const shmem_team_config_t *xconfig, long xmask, shmem_team_t *xteam, const shmem_team_config_t *yconfig, long ymask, shmem_team_t *yteam | int failed = said(moac_shmem_team_split_2d(parent, xrange, xteam, yteam)); configure(*xteam, xconfig, xmask); configure(*yteam, yconfig, ymask); return failed;
void team_destroy | shmem_team_t team | if (team != SHMEM_TEAM_INVALID && team != SHMEM_TEAM_WORLD) must(moac_shmem_team_destroy(team));
void set_lock | long *lock | must(moac_shmem_lock(lock));
void clear_lock | long *lock | must(moac_shmem_unlock(lock));
int test_lock | long *lock | bool taken = false; must(moac_shmem_try_lock(lock, &taken)); return !taken;
void barrier | int PE_start, int logPE_stride, int PE_size, long *pSync | must(moac_shmem_quiet(SHMEM_CTX_DEFAULT)); moac_shmem_active_sync((moac_shmem_active){PE_start, logPE_stride, PE_size, pSync});
void sync_deprecated_ | int PE_start, int logPE_stride, int PE_size, long *pSync | moac_shmem_active_sync((moac_shmem_active){PE_start, logPE_stride, PE_size, pSync});
"""


def plain():
    for line in PLAIN.strip().splitlines():
        head, parameters, body = (part.strip() for part in line.split(" | ", 2))
        with_context = head.startswith("ctx ")
        result, name = head.removeprefix("ctx ").rsplit(" ", 1)
        if name.startswith("*"):
            result, name = result + " *", name[1:]
        if not with_context:
            emit(result, "shmem_" + name, parameters, body)
            continue
        emit(result, "shmem_" + name, parameters, body.replace("CTX", "SHMEM_CTX_DEFAULT"))
        rest = "" if parameters == "void" else ", " + parameters
        emit(result, "shmem_ctx_" + name, "shmem_ctx_t ctx" + rest, body.replace("CTX", "ctx"))
    for shape, extra, call in (("broadcast", "size_t nelems, int PE_root", "PE_root, "), ("collect", "size_t nelems", ""),
                               ("fcollect", "size_t nelems", ""), ("alltoall", "size_t nelems", ""),
                               ("alltoalls", "ptrdiff_t dst, ptrdiff_t sst, size_t nelems", "dst, sst, ")):
        for size in (32, 64):
            emit("void", f"shmem_{shape}{size}",
                 f"void *dest, const void *source, {extra}, int PE_start, int logPE_stride, int PE_size, long *pSync",
                 f"moac_shmem_active_{shape}((moac_shmem_active){{PE_start, logPE_stride, PE_size, pSync}}, dest, "
                 f"source, {call}nelems, {size // 8});")


def print_generics(out):
    """_Generic needs distinct types: the 14 base types stand for their aliases."""
    for name, types, pattern, contexts, selector in generics:
        arms = []
        for tname, ctype, _, _ in types:
            target = pattern.format(n=tname)
            arms.append(f"{ctype} *: shmem_{target}")
            if selector == "const":
                arms.append(f"const {ctype} *: shmem_{target}")
        wrapped = ", ".join(arms)
        if contexts:
            inner = []
            for tname, ctype, _, _ in types:
                target = pattern.format(n=tname)
                inner.append(f"{ctype} *: shmem_ctx_{target}")
                if selector == "const":
                    inner.append(f"const {ctype} *: shmem_ctx_{target}")
            fallback = f"default: shmem_ctx_{pattern.format(n=types[0][0])}"
            wrapped += (", shmem_ctx_t: _Generic(SHMEM_SECOND_(__VA_ARGS__, 0, 0), " + ", ".join(inner) + f", {fallback})")
        first = "SHMEM_SECOND_(__VA_ARGS__, 0, 0)" if selector == "2" else "SHMEM_FIRST_(__VA_ARGS__, 0)"
        out.append(f"#define shmem_{name}(...) _Generic({first}, {wrapped})(__VA_ARGS__)")


def chunks(items, count):
    size = (len(items) + count - 1) // count
    return [items[i * size:(i + 1) * size] for i in range(count)]


def main(header_path, *source_paths):
    for part in (plain, rma, signals, atomics, waits, collectives):
        part()
    lines = []
    print_generics(lines)
    with open(header_path, "w", encoding="utf-8") as out:
        out.write("/* Generated by generate_shim.py: the typed part of shmem.h. */\n")
        out.write("\n".join(header))
        out.write("\n#if !defined(SHMEM_NO_GENERICS) && !defined(__cplusplus) && __STDC_VERSION__ + 0 >= 201112L\n")
        out.write("#define SHMEM_FIRST_(first, ...) first\n#define SHMEM_SECOND_(first, second, ...) second\n")
        out.write("\n".join(lines) + "\n#endif\n")
    for path, part in zip(source_paths, chunks(source, len(source_paths))):
        with open(path, "w", encoding="utf-8") as out:
            out.write("/* Generated by generate_shim.py: typed OpenSHMEM functions. */\n")
            out.write('#include "runtime/shmem/shim.h"\n')
            out.write("\n".join(part) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
