package org.wari;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Plays games with Wari.java, and compares its answers with published ones. The arguments are: a
 * folder with tables of awari even up to 12 seeds; a book of these tables; a folder with tables of
 * awari even up to 2 seeds, awari own and abapa own; and a copy of the first folder without the
 * files of levels 9 and 11. Prints "ok - " or "not ok - " for each test.
 */
public final class WariTest {
    private interface Test {
        void run() throws Exception;
    }

    private static int passed = 0, failed = 0;

    private static void test(String name, Test test) {
        try {
            test.run();
            System.out.println("ok - " + name);
            passed++;
        } catch (Exception | AssertionError problem) {
            System.out.println("not ok - " + name + "\n    " + problem);
            failed++;
        }
    }

    private static void expect(Object expected, Object found) {
        if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", not " + found);
    }

    private static void refused(int status, String part, Test test) throws Exception {
        try {
            test.run();
        } catch (Wari.Refusal refusal) {
            expect(status, refusal.status);
            expect(true, refusal.getMessage().contains(part));
            return;
        }
        throw new AssertionError("expected a refusal: " + part);
    }

    /** data/positions.csv has these values and moves. */
    private static void valuesAndMovesAreThosePublished(Wari wari) {
        int[] ones = Wari.parse("1 1 1 1 1 1 / 1 1 1 1 1 1");
        Wari.Analysis analysis = wari.analyse(ones);
        expect(0, analysis.value());
        expect(0, wari.value(ones));
        List<String> moves = new ArrayList<>();
        for (Wari.Move move : analysis.moves()) moves.add(move.letter() + "" + move.value());
        expect(List.of("F0", "A-1", "C-2", "D-2", "E-2", "B-8"), moves);
        expect(2, analysis.moves().get(0).captured());
        expect(3, wari.value(Wari.parse("0 1 0 0 1 0 / 0 0 0 0 0 1")));
        expect(6, wari.value(Wari.parse("0 0 0 3 2 0 / 1 0 0 0 0 0")));
        expect(new Wari.Analysis(0, List.of()), wari.analyse(new int[12]));
        expect(12, wari.seedsMax());
        expect("awari even", wari.rules() + " " + wari.cycle());
    }

    /** A player who always makes the best move gets at least the value, whatever the opponent plays. */
    private static void aGameByBestMovesIsWorthItsValue(Wari wari) {
        Random random = new Random(1);
        for (int game = 0; game < 200; game++) {
            int[] position = new int[12];
            for (int seed = 0; seed < 12; seed++) position[random.nextInt(12)]++;
            int value = wari.value(position), won = 0;
            boolean ours = true, over = false;
            for (int moves = 0; moves < 200 && !over; moves++) {
                Wari.Analysis analysis = wari.analyse(position);
                over = analysis.moves().isEmpty();
                if (over) {
                    won += ours ? analysis.value() : -analysis.value();
                    break;
                }
                Wari.Move move = analysis.moves().get(ours ? 0 : random.nextInt(analysis.moves().size()));
                won += ours ? move.captured() : -move.captured();
                position = move.next();
                ours = !ours;
            }
            // If the game has not ended, the last position counts as its value.
            if (!over) won += ours ? wari.value(position) : -wari.value(position);
            if (won < value) throw new AssertionError("game " + game + ": " + won + " of " + value);
        }
    }

    private static void arraysAndLevelsAgreeWithSingleValues(Wari wari) {
        Random random = new Random(2);
        int[][] positions = new int[1000][12];
        for (int[] position : positions)
            for (int seed = 0; seed < 9; seed++) position[random.nextInt(12)]++;
        byte[] values = wari.values(positions);
        for (int i = 0; i < positions.length; i++) expect(wari.value(positions[i]), (int) values[i]);
        expect(0, wari.values(new int[0][]).length);
        // One seed, by hand: kept in A..E, given away in F, and a..f have nothing to move.
        int[] level = new int[12];
        for (int i = 0; i < 12; i++) level[i] = wari.level(1, i, 1)[0];
        Arrays.sort(level);
        expect("[-1, -1, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1]", Arrays.toString(level));
        expect(12L, Wari.levelSize(1));
    }

    private static void whatIsWrongIsRefused(Wari wari) throws Exception {
        refused(Wari.Refusal.NOT_COVERED, "13 seeds", () -> wari.value(Wari.parse("13 0 0 0 0 0 / 0 0 0 0 0 0")));
        refused(Wari.Refusal.NOT_COVERED, "positions[1]", () -> wari.values(new int[][] {new int[12],
            Wari.parse("13 0 0 0 0 0 / 0 0 0 0 0 0")}));
        refused(Wari.Refusal.NOT_COVERED, "level 13", () -> wari.level(13, 0, 1));
        refused(Wari.Refusal.BAD_INPUT, "12", () -> wari.level(1, 12, 1));
        refused(Wari.Refusal.BAD_INPUT, "2 of 12", () -> Wari.parse("1 1"));
        refused(Wari.Refusal.BAD_INPUT, "twelve", () -> wari.value(new int[11]));
        refused(Wari.Refusal.BAD_INPUT, "positions[1]: a position must have twelve", () -> wari.values(new int[][] {new int[12], new int[11]}));
        refused(Wari.Refusal.BAD_INPUT, "48", () -> wari.value(new int[] {49, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
        refused(Wari.Refusal.BAD_INPUT, "48", () -> wari.value(new int[] {-1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    }

    private static void nullIsAnException(Wari wari) throws Exception {
        List<Test> calls = List.of(() -> Wari.parse(null), () -> Wari.openBook(null), () -> Wari.open(null, null, null),
                () -> Wari.open(null, "awari", "even"), () -> wari.value(null), () -> wari.values(null),
                () -> wari.values(new int[][] {null}), () -> wari.analyse((int[]) null),
                () -> wari.analyse((Wari.Setup) null), () -> Wari.Setup.parse(null));
        for (Test call : calls) {
            try {
                call.run();
            } catch (NullPointerException expected) {
                continue;
            }
            throw new AssertionError("call " + calls.indexOf(call) + " takes null");
        }
    }

    private static void textBehindANulIsRefused(String folder, String book) throws Exception {
        refused(Wari.Refusal.BAD_INPUT, "position, column 26", () -> Wari.parse("0 1 0 0 1 0 / 0 0 0 0 0 1\0 junk"));
        refused(Wari.Refusal.BAD_INPUT, "path, column", () -> Wari.openBook(book + "\0junk"));
        refused(Wari.Refusal.BAD_INPUT, "folder, column", () -> Wari.open(folder + "\0", null, null));
        refused(Wari.Refusal.BAD_INPUT, "rules, column 6", () -> Wari.open(folder, "awari\0junk", null));
        refused(Wari.Refusal.BAD_INPUT, "cycle, column 5", () -> Wari.open(folder, "awari", "even\0junk"));
    }

    private static void tablesThatAreNotThereAreRefused(String folder, String book) throws Exception {
        refused(Wari.Refusal.IO, "nowhere", () -> Wari.open("nowhere", null, null));
        refused(Wari.Refusal.IO, "nowhere", () -> Wari.openBook("nowhere"));
        refused(Wari.Refusal.MISMATCH, "awari even", () -> Wari.open(folder, "tournament", null));
        refused(Wari.Refusal.BAD_INPUT, "tournament", () -> Wari.open(folder, "chess", null));
        refused(Wari.Refusal.BAD_INPUT, "the cycle rule own, which contradicts even", () -> Wari.open(folder, "tournament", "even"));
        Wari.open(folder, "awari", "even").close();
        Wari closed = Wari.openBook(book);
        closed.close();
        closed.close();
        try {
            closed.value(new int[12]);
        } catch (IllegalStateException expected) {
            return;
        }
        throw new AssertionError("a closed book answers");
    }

    private static void missingLevelsAreNamed(String folder, String book, String incomplete) throws Exception {
        try (Wari wari = Wari.open(incomplete, null, null)) {
            expect(List.of(9, 11), wari.missing());
            expect(8, wari.seedsMax());
            expect(3, wari.value(Wari.parse("0 1 0 0 1 0 / 0 0 0 0 0 1")));
            refused(Wari.Refusal.NOT_COVERED, "up to 8", () -> wari.value(Wari.parse("9 0 0 0 0 0 / 0 0 0 0 0 0")));
        }
        try (Wari whole = Wari.open(folder, null, null);
                Wari bound = Wari.openBook(book)) {
            expect(List.of(), whole.missing());
            expect(List.of(), bound.missing());
        }
    }

    private static void aCycleRuleAloneChoosesAmongTables(String folder, String several) throws Exception {
        Wari.open(folder, null, "even").close();
        refused(Wari.Refusal.MISMATCH, "cycle rule own; it has: awari even", () -> Wari.open(folder, null, "own"));
        refused(Wari.Refusal.BAD_INPUT, "odd", () -> Wari.open(folder, null, "odd"));
        refused(Wari.Refusal.IO, "nowhere", () -> Wari.open("nowhere", null, "even"));
        try (Wari even = Wari.open(several, null, "even")) {
            expect(2, even.seedsMax());
        }
        refused(Wari.Refusal.BAD_INPUT, "several databases of cycle rule own here; name one, such as awari own "
                + "(there are: awari own, abapa own)", () -> Wari.open(several, null, "own"));
        refused(Wari.Refusal.BAD_INPUT, "several databases here; name one, such as awari ",
                () -> Wari.open(several, null, null));
    }

    private static void movesHaveTheLettersOfTheirSide(Wari wari) {
        Wari.Setup north = Wari.Setup.parse("1-1-1-1-1-1-1-1-1-1-1-1-18-18-N");
        StringBuilder letters = new StringBuilder();
        for (Wari.Move move : wari.analyse(north).moves()) letters.append(move.letter());
        expect("facdeb", letters.toString());
        expect(true, north.north());
        expect("[18, 18]", Arrays.toString(north.stores()));
        expect(null == Wari.Setup.parse("1 1 1 1 1 1 / 1 1 1 1 1 1").stores(), true);
        expect(false, Wari.Setup.parse("1 1 1 1 1 1 / 1 1 1 1 1 1").north());
    }

    private static void equalMovesAreEqual(Wari wari) {
        int[] ones = Wari.parse("1 1 1 1 1 1 / 1 1 1 1 1 1");
        Wari.Analysis one = wari.analyse(ones), other = wari.analyse(ones);
        expect(one, other);
        expect(one.hashCode(), other.hashCode());
        expect(false, one.moves().get(0).equals(one.moves().get(1)));
        expect(false, one.moves().get(0).equals(wari.analyse(new Wari.Setup(ones, true, null)).moves().get(0)));
        expect("Move[F, captured=2, next=[0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0], value=0]", one.moves().get(0).toString());
        one.moves().get(0).next()[0] = 40; // a copy
        expect(one, other);
        Wari.Setup setup = Wari.Setup.parse("1-1-1-1-1-1-1-1-1-1-1-1-18-18-N");
        expect(setup, Wari.Setup.parse("1-1-1-1-1-1-1-1-1-1-1-1-18-18-N"));
        expect(false, setup.equals(Wari.Setup.parse("1-1-1-1-1-1-1-1-1-1-1-1-18-18-S")));
        expect("Setup[pits=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], north=true, stores=[18, 18]]", setup.toString());
    }

    public static void main(String[] arguments) {
        String folder = arguments[0], book = arguments[1];
        try (Wari tables = Wari.open(folder, null, null);
                Wari bound = Wari.openBook(book)) {
            for (Wari wari : List.of(tables, bound)) {
                String source = wari == tables ? " (tables)" : " (book)";
                test("values and moves are those published" + source, () -> valuesAndMovesAreThosePublished(wari));
                test("a game by best moves is worth its value" + source, () -> aGameByBestMovesIsWorthItsValue(wari));
                test("arrays and levels agree with single values" + source,
                        () -> arraysAndLevelsAgreeWithSingleValues(wari));
                test("moves have the letters of their side" + source, () -> movesHaveTheLettersOfTheirSide(wari));
                test("equal moves are equal" + source, () -> equalMovesAreEqual(wari));
                test("what is wrong is refused" + source, () -> whatIsWrongIsRefused(wari));
                test("null is an exception" + source, () -> nullIsAnException(wari));
            }
        }
        test("tables that are not there are refused", () -> tablesThatAreNotThereAreRefused(folder, book));
        test("missing levels are named", () -> missingLevelsAreNamed(folder, book, arguments[3]));
        test("a cycle rule alone chooses among tables",
                () -> aCycleRuleAloneChoosesAmongTables(folder, arguments[2]));
        test("text behind a NUL is refused", () -> textBehindANulIsRefused(folder, book));
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }
}
