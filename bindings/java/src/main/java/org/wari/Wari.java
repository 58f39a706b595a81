package org.wari;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Exact values of Wari (Oware, Awari, Warri) positions, from the installed library libwari through JNA.
 *
 * <pre>
 * try (Wari wari = Wari.open("tables", null, null)) {          // or Wari.openBook("oware.book")
 *     Wari.Analysis analysis = wari.analyse(Wari.Setup.parse("1 1 1 1 1 1 / 1 1 1 1 1 1"));
 *     if (!analysis.moves().isEmpty())
 *         System.out.println(analysis.value() + " by " + analysis.moves().get(0).letter());
 * }
 * </pre>
 *
 * A position is twelve counts, seen by the player to move: the mover's pits A..F, then the
 * opponent's a..f; at most 48 seeds in all. A value is the number of seeds that the mover will still
 * capture minus those that the opponent will, with best play by both. Any number of threads may use
 * one Wari. Failures are reported as {@link Refusal}, whose message says what is wrong, where, and what
 * to do. A null argument causes a NullPointerException unless a method says otherwise.
 */
public final class Wari implements AutoCloseable {
    /** A failure that the library reports. */
    public static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** The position has more seeds than the tables cover, or there is no such level. */
        public static final int NOT_COVERED = 2;
        /** A position, name or number is not valid. */
        public static final int BAD_INPUT = 3;
        /** A file is damaged. */
        public static final int CORRUPT = 4;
        /** A file cannot be read. */
        public static final int IO = 5;
        /** An allocation failed. */
        public static final int NO_MEMORY = 6;
        /** There are no tables of the requested rules, or they have another format version. */
        public static final int MISMATCH = 7;

        /** One of the numbers above, or another value of {@code enum wari_status}. */
        public final int status;

        Refusal(int status, String text) {
            super(text);
            this.status = status;
        }
    }

    /**
     * A position as people write it.
     *
     * @param pits twelve counts, those of the player to move first
     * @param north true if North is to move; the player to move in twelve counts is called South
     * @param stores the seeds that South and North have captured, or null if the text had no stores
     */
    public record Setup(int[] pits, boolean north, int[] stores) {
        /**
         * Copies the arrays.
         *
         * @param pits as above
         * @param north as above
         * @param stores as above
         */
        public Setup {
            pits = pits.clone();
            stores = stores == null ? null : stores.clone();
        }

        /**
         * Parses twelve counts ("1 1 1 1 1 1 / 1 1 1 1 1 1"), a diagram with stores, or a position of the site PlayStrategy.
         *
         * @param text the position
         * @return the position
         * @throws Refusal BAD_INPUT if it is not valid; the message has the column
         */
        public static Setup parse(String text) {
            checkText(text, "position");
            try (Memory setup = new Memory(SETUP_BYTES)) {
                check(error -> LIBRARY.wari_setup_parse(text, setup, error));
                int[] pits = new int[PITS];
                for (int pit = 0; pit < PITS; pit++) pits[pit] = setup.getByte(pit);
                boolean diagram = setup.getByte(PITS) != 0;
                int[] stores = {setup.getByte(PITS + 2), setup.getByte(PITS + 3)};
                return new Setup(pits, setup.getByte(PITS + 1) != 0, diagram ? stores : null);
            }
        }

        /**
         * Returns a copy of the counts.
         *
         * @return twelve counts
         */
        @Override
        public int[] pits() {
            return pits.clone();
        }

        /**
         * Returns a copy of the stores.
         *
         * @return the seeds that South and North have captured, or null
         */
        @Override
        public int[] stores() {
            return stores == null ? null : stores.clone();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Setup setup && Arrays.equals(pits, setup.pits) && north == setup.north
                    && Arrays.equals(stores, setup.stores);
        }

        @Override
        public int hashCode() {
            return Objects.hash(Arrays.hashCode(pits), north, Arrays.hashCode(stores));
        }

        @Override
        public String toString() {
            return "Setup[pits=" + Arrays.toString(pits) + ", north=" + north + ", stores=" + Arrays.toString(stores) + "]";
        }
    }

    /**
     * A legal move, with its value.
     *
     * @param pit 0..5 for A..F, or for a..f if North moves
     * @param north true if North moves
     * @param captured the number of seeds that the move captures
     * @param ends true if the move itself ends the game; {@code next} is then undefined
     * @param again true if the same player moves next
     * @param next twelve counts after the move, those of the player to move next first
     * @param value the value of the position before the move, if this move is played
     */
    public record Move(int pit, boolean north, int captured, boolean ends, boolean again, int[] next, int value) {
        /**
         * Copies the array.
         *
         * @param pit as above
         * @param north as above
         * @param captured as above
         * @param ends as above
         * @param again as above
         * @param next as above
         * @param value as above
         */
        public Move {
            next = next.clone();
        }

        /**
         * Returns a copy of the position after the move.
         *
         * @return twelve counts
         */
        @Override
        public int[] next() {
            return next.clone();
        }

        /**
         * Returns the letter of the move.
         *
         * @return 'A' to 'F' for South, 'a' to 'f' for North
         */
        public char letter() {
            return (char) ((north ? 'a' : 'A') + pit);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Move move && pit == move.pit && north == move.north && captured == move.captured
                    && ends == move.ends && again == move.again && Arrays.equals(next, move.next) && value == move.value;
        }

        @Override
        public int hashCode() {
            return Objects.hash(pit, north, captured, ends, again, Arrays.hashCode(next), value);
        }

        @Override
        public String toString() {
            return "Move[" + letter() + ", captured=" + captured + (ends ? ", ends" : "") + (again ? ", again" : "")
                    + ", next=" + Arrays.toString(next) + ", value=" + value + "]";
        }
    }

    /**
     * The value of a position, and its moves.
     *
     * @param value the value for the player to move
     * @param moves all legal moves, best first; empty if the game is over
     */
    public record Analysis(int value, List<Move> moves) {}

    /** The functions of wari.h that are used here. Structs are accessed as memory, in the layout that wari.h guarantees. */
    private interface Functions extends Library {
        int wari_variant_parse(String rules, String cycle, Pointer variant, Pointer fixesCycle, Pointer error);

        int wari_cycle_parse(String name, Pointer cycle, Pointer error);

        int wari_setup_parse(String text, Pointer setup, Pointer error);

        int wari_open(PointerByReference database, String folder, Pointer variant, Pointer options, Pointer error);

        int wari_open_book(PointerByReference database, String path, Pointer variant, Pointer options, Pointer error);

        int wari_list(String folder, Pointer options, Pointer variants, IntByReference count, Pointer error);

        void wari_close(Pointer database);

        void wari_get_info(Pointer database, Pointer info);

        int wari_missing(Pointer database, Pointer missing);

        int wari_probe(Pointer database, Pointer position, IntByReference value, Pointer error);

        int wari_probe_many(Pointer database, Pointer positions, NativeLong count, Pointer values, Pointer error);

        int wari_values(Pointer database, int seeds, long first, NativeLong count, Pointer values, Pointer error);

        int wari_analyse(Pointer database, Pointer position, Pointer analysis, Pointer error);

        long wari_level_size(int seeds);

        Pointer wari_get_rules_info(int rules);

        String wari_cycle_name(int cycle);

        String wari_version();
    }

    private static final Functions LIBRARY =
            Native.load("wari", Functions.class, java.util.Map.of(Library.OPTION_STRING_ENCODING, "UTF-8"));

    private static final int PITS = 12, ERROR_BYTES = 4 + 1536, SETUP_BYTES = 16, VARIANT_BYTES = 8, INFO_BYTES = 32;
    private static final int SEEDS_MAX = 48;
    private static final int VARIANTS_MAX = 8 * 2; // rule sets, cycle rules
    private static final int ANALYSIS_BYTES = 8 + 6 * 24, MOVE_BYTES = 24; // value, count and moves; a move with its value

    /** Held for reading during calls of the library, and for writing by close(). */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    private Pointer database; // null after close()

    private Wari(Pointer database) {
        this.database = database;
    }

    /** A call of the library that returns a status and describes a failure in its last argument. */
    private interface Call {
        int run(Pointer error);
    }

    private static void check(Call call) {
        try (Memory error = new Memory(ERROR_BYTES)) {
            error.clear();
            int status = call.run(error);
            if (status != 0) throw new Refusal(status, error.getString(4, StandardCharsets.UTF_8.name()));
        }
    }

    /** Makes a call that needs the open database. */
    private void callOpen(Call call) {
        lock.readLock().lock();
        try {
            if (database == null) throw new IllegalStateException("this database is closed");
            check(call);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Rejects null, and a text with a NUL character, at which the library would stop reading. */
    private static void checkText(String text, String name) {
        int end = Objects.requireNonNull(text, name).indexOf('\0');
        if (end >= 0) {
            String place = name + ", column " + (end + 1);
            throw new Refusal(Refusal.BAD_INPUT, place + ": NUL characters are not allowed");
        }
    }

    private static Memory position(int[] pits) {
        return counts(new int[][] {Objects.requireNonNull(pits, "pits")}, false);
    }

    private static Refusal badPosition(String text, int index, boolean indexed) {
        return new Refusal(Refusal.BAD_INPUT, indexed ? "positions[" + index + "]: " + text : text);
    }

    /** Copies positions to memory for the library. If {@code indexed} is true, an error has the index of the position. */
    private static Memory counts(int[][] positions, boolean indexed) {
        byte[] bytes = new byte[Math.multiplyExact(positions.length, PITS)];
        for (int i = 0; i < positions.length; i++) {
            int number = i;
            int[] pits = Objects.requireNonNull(positions[i], () -> "positions[" + number + "]");
            int seeds = 0;
            if (pits.length != PITS) throw badPosition("a position must have twelve counts", i, indexed);
            for (int pit = 0; pit < PITS; pit++) {
                int count = pits[pit];
                if (count < 0 || (seeds += count) > SEEDS_MAX)
                    throw badPosition("a position must have 0 to 48 seeds in all", i, indexed);
                bytes[i * PITS + pit] = (byte) count;
            }
        }
        Memory memory = new Memory(Math.max(1, bytes.length));
        memory.write(0, bytes, 0, bytes.length);
        return memory;
    }

    // ---- Opening and closing ------------------------------------------------------------------

    /**
     * Opens a database in a folder made by {@code wari build}. {@code rules} is a rule set such as
     * "awari" or a preset such as "tournament"; {@code cycle} is the rule for endless play, "even" or
     * "own". If {@code cycle} is null, the rule is the one that {@code rules} names, or else "even". If
     * {@code rules} is null, the only database in the folder (with that cycle rule, if it is given) is
     * opened. Fails with MISMATCH if there is none, with BAD_INPUT if there are several or if the preset
     * contradicts {@code cycle}. If the files of some levels are missing, the levels below them are opened;
     * see {@link #missing()}.
     *
     * @param folder the folder
     * @param rules the name of a rule set or preset, or both names of a variant ("abapa own"); or null
     * @param cycle the name of a cycle rule, or null
     * @return the open database
     * @throws Refusal if the database cannot be opened
     */
    public static Wari open(String folder, String rules, String cycle) {
        checkText(folder, "folder");
        if (rules != null) checkText(rules, "rules");
        if (cycle != null) checkText(cycle, "cycle");
        PointerByReference opened = new PointerByReference();
        try (Memory variant = new Memory(VARIANT_BYTES)) {
            variant.clear();
            if (rules != null) check(error -> LIBRARY.wari_variant_parse(rules, cycle, variant, null, error));
            else if (cycle != null) {
                check(error -> LIBRARY.wari_cycle_parse(cycle, variant.share(4), error));
                chooseRules(folder, variant);
            }
            Pointer requested = rules == null && cycle == null ? null : variant;
            check(error -> LIBRARY.wari_open(opened, folder, requested, null, error));
        }
        return new Wari(opened.getValue());
    }

    /** Sets the rules of a variant to those of the only database with its cycle rule. */
    private static void chooseRules(String folder, Pointer variant) {
        List<String> all = new ArrayList<>(), fitting = new ArrayList<>();
        IntByReference count = new IntByReference();
        int cycle = variant.getInt(4);
        try (Memory variants = new Memory(VARIANTS_MAX * VARIANT_BYTES)) {
            check(error -> LIBRARY.wari_list(folder, null, variants, count, error));
            for (int at = 0; at < count.getValue() * VARIANT_BYTES; at += VARIANT_BYTES) {
                String rules = LIBRARY.wari_get_rules_info(variants.getInt(at)).getPointer(0).getString(0);
                String name = rules + " " + LIBRARY.wari_cycle_name(variants.getInt(at + 4));
                all.add(name);
                if (variants.getInt(at + 4) != cycle) continue;
                fitting.add(name);
                variant.setInt(0, variants.getInt(at));
            }
        }
        String wanted = "of cycle rule " + LIBRARY.wari_cycle_name(cycle);
        if (fitting.isEmpty())
            throw new Refusal(Refusal.MISMATCH, folder + " has no database " + wanted + "; it has: "
                    + (all.isEmpty() ? "none" : String.join(", ", all)));
        if (fitting.size() > 1)
            throw new Refusal(Refusal.BAD_INPUT, folder + ": several databases " + wanted
                    + " here; name one, such as " + fitting.get(0) + " (there are: " + String.join(", ", fitting) + ")");
    }

    /**
     * Opens a book, a file made by {@code wari book}.
     *
     * @param path the file
     * @return the open book
     * @throws Refusal if the book cannot be opened
     */
    public static Wari openBook(String path) {
        checkText(path, "path");
        PointerByReference opened = new PointerByReference();
        check(error -> LIBRARY.wari_open_book(opened, path, null, null, error));
        return new Wari(opened.getValue());
    }

    /** Waits for calls of other threads to end, then closes files and releases memory. */
    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            LIBRARY.wari_close(database);
            database = null;
        } finally {
            lock.writeLock().unlock();
        }
    }

    // ---- Values -------------------------------------------------------------------------------

    /**
     * Returns the largest number of seeds covered.
     *
     * @return the number of seeds
     */
    public int seedsMax() {
        return info(VARIANT_BYTES);
    }

    /**
     * Returns the rule set of the values.
     *
     * @return the name of the rule set, such as "abapa"
     */
    public String rules() {
        return LIBRARY.wari_get_rules_info(info(0)).getPointer(0).getString(0);
    }

    /**
     * Returns the rule for endless play.
     *
     * @return "even" or "own"
     */
    public String cycle() {
        return LIBRARY.wari_cycle_name(info(4));
    }

    /** Returns a number of struct wari_info. */
    private int info(long at) {
        int[] number = new int[1];
        callOpen(error -> {
            try (Memory info = new Memory(INFO_BYTES)) {
                LIBRARY.wari_get_info(database, info);
                number[0] = info.getInt(at);
            }
            return 0;
        });
        return number[0];
    }

    /**
     * Returns the levels (numbers of seeds, in ascending order) that the folder's catalogue lists and whose
     * files were missing when it was opened. {@link #seedsMax()} is below all of them. The list is empty if no
     * file was missing, and for a book. It cannot be changed.
     *
     * @return the missing levels
     */
    public List<Integer> missing() {
        List<Integer> levels = new ArrayList<>();
        callOpen(error -> {
            try (Memory missing = new Memory(SEEDS_MAX + 1)) { // a C bool for each level
                LIBRARY.wari_missing(database, missing);
                for (int seeds = 0; seeds <= SEEDS_MAX; seeds++)
                    if (missing.getByte(seeds) != 0) levels.add(seeds);
            }
            return 0;
        });
        return List.copyOf(levels);
    }

    /**
     * Returns the exact value for the player to move.
     *
     * @param pits twelve counts, those of the player to move first
     * @return the value, -n to n for n seeds
     * @throws Refusal NOT_COVERED if the position has more seeds than the tables
     */
    public int value(int[] pits) {
        IntByReference value = new IntByReference();
        try (Memory position = position(pits)) {
            callOpen(error -> LIBRARY.wari_probe(database, position, value, error));
        }
        return value.getValue();
    }

    /**
     * Returns the values of many positions. Each chunk of a level file is read and decoded once.
     *
     * @param positions the positions, each with twelve counts
     * @return the values in the same order
     * @throws Refusal like {@link #value(int[])}; the message has the index of the position
     */
    public byte[] values(int[][] positions) {
        try (Memory counts = counts(positions, true);
                Memory values = new Memory(Math.max(1, positions.length))) {
            NativeLong count = new NativeLong(positions.length);
            callOpen(error -> LIBRARY.wari_probe_many(database, counts, count, values, error));
            return values.getByteArray(0, positions.length);
        }
    }

    /**
     * Returns values of stored positions of a level, in the order that wari.h describes.
     *
     * @param seeds the level
     * @param first the number of the first position
     * @param count the number of values
     * @return the values
     * @throws Refusal NOT_COVERED if there is no such level, BAD_INPUT if it has no such numbers
     */
    public byte[] level(int seeds, long first, int count) {
        try (Memory values = new Memory(Math.max(1, count))) {
            callOpen(error -> LIBRARY.wari_values(database, seeds, first, new NativeLong(count), values, error));
            return values.getByteArray(0, count);
        }
    }

    /**
     * Returns the value, and all moves with their values. The player to move is called South.
     *
     * @param pits twelve counts, those of the player to move first
     * @return the value and the moves
     * @throws Refusal like {@link #value(int[])}
     */
    public Analysis analyse(int[] pits) {
        return analyse(new Setup(pits, false, null));
    }

    /**
     * Returns the value, and all moves with their values and the letters of the side to move.
     *
     * @param setup the position
     * @return the value and the moves
     * @throws Refusal like {@link #value(int[])}
     */
    public Analysis analyse(Setup setup) {
        int[] pits = Objects.requireNonNull(setup, "setup").pits();
        try (Memory position = position(pits);
                Memory found = new Memory(ANALYSIS_BYTES)) {
            callOpen(error -> LIBRARY.wari_analyse(database, position, found, error));
            List<Move> moves = new ArrayList<>();
            for (int i = 0; i < found.getInt(4); i++) moves.add(move(found, 8 + (long) i * MOVE_BYTES, setup.north()));
            return new Analysis(found.getInt(0), List.copyOf(moves));
        }
    }

    private static Move move(Pointer found, long at, boolean north) {
        int[] next = new int[PITS];
        for (int pit = 0; pit < PITS; pit++) next[pit] = found.getByte(at + 5 + pit);
        return new Move(found.getByte(at), north, found.getByte(at + 1), found.getByte(at + 2) != 0,
                found.getByte(at + 3) != 0, next, found.getInt(at + 20));
    }

    // ---- Without tables -----------------------------------------------------------------------

    /**
     * Returns the pits of {@link Setup#parse(String)}.
     *
     * @param text the position
     * @return twelve counts, those of the player to move first
     * @throws Refusal BAD_INPUT if it is not valid; the message has the column
     */
    public static int[] parse(String text) {
        return Setup.parse(text).pits();
    }

    /**
     * Returns the number of stored positions of a level.
     *
     * @param seeds the level
     * @return the number; 0 if there is no such level
     */
    public static long levelSize(int seeds) {
        return LIBRARY.wari_level_size(seeds);
    }

    /**
     * Returns the version of the library.
     *
     * @return the version, such as "0.1.0"
     */
    public static String version() {
        return LIBRARY.wari_version();
    }

    /**
     * Prints the value of a position and its moves.
     *
     * @param arguments the folder or the book, and the position
     */
    public static void main(String[] arguments) {
        if (arguments.length != 2) {
            System.err.println("usage: Wari FOLDER_OR_BOOK POSITION");
            System.exit(2);
        }
        boolean folder = new java.io.File(arguments[0]).isDirectory();
        try (Wari wari = folder ? open(arguments[0], null, null) : openBook(arguments[0])) {
            Analysis analysis = wari.analyse(Setup.parse(arguments[1]));
            System.out.println("value " + analysis.value());
            for (Move move : analysis.moves()) System.out.println(move.letter() + " " + move.value());
        } catch (Refusal refusal) {
            System.err.println(refusal.getMessage());
            System.exit(1);
        }
    }
}
