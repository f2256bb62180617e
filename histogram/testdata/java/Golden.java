import java.io.File;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

// Golden writes the golden files of this package: golden.hlog, with an interval
// for each distribution below under its name as tag, and for each a .hgrm file.
// The Go tests make the same distributions. Run it with
//
//     go test ./histogram -run Golden -update
public class Golden {
    static final long HOUR = 3_600_000_000_000L;

    // The same generator as in golden_test.go.
    static long state = 1;

    static long random(long below) {
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (state >>> 11) % below;
    }

    static Histogram empty() {
        return new Histogram(1, HOUR, 3);
    }

    static Map<String, Histogram> distributions() {
        Map<String, Histogram> all = new LinkedHashMap<>();

        all.put("empty", empty());

        Histogram single = empty();
        single.recordValue(1_234_567);
        all.put("single", single);

        Histogram tiny = empty(); // 500 and 1500 ns: halves of the last decimal
        for (long v = 0; v <= 2000; v += 500) tiny.recordValue(v);
        all.put("tiny", tiny);

        Histogram uniform = empty();
        for (int i = 0; i < 100_000; i++) uniform.recordValue(random(10_000_000));
        all.put("uniform", uniform);

        Histogram stall = empty(); // 1,000/s for 10 s, 1 ms each, and a stall of 1 s
        for (int i = 0; i < 9_000; i++) stall.recordValue(1_000_000 + random(1_000));
        for (int i = 1; i <= 1_000; i++) stall.recordValue(1_000_000 + i * 1_000_000L);
        all.put("stall", stall);

        Histogram corrected = empty(); // one request in flight, and a stall of 1 s
        for (int i = 0; i < 9_000; i++) corrected.recordValue(900_000 + random(500_000));
        corrected.recordValue(1_001_000_000);
        all.put("corrected", corrected.copyCorrectedForCoordinatedOmission(1_000_000));

        Histogram hour = empty();
        for (int i = 0; i < 1_000; i++) hour.recordValue(Math.min(HOUR, i * 10_000_000_000L));
        all.put("hour", hour);

        Histogram many = empty(); // percentiles of eleven nines
        many.recordValueWithCount(150_000, 99_999_999_000L);
        for (int i = 0; i < 1_000; i++) many.recordValue(200_000 + random(HOUR / 1000));
        all.put("many", many);
        return all;
    }

    public static void main(String[] args) throws Exception {
        File folder = new File(args[0]);
        HistogramLogWriter log = new HistogramLogWriter(new File(folder, "golden.hlog"));
        log.outputComment("[Logged with Golden.java]");
        log.outputLogFormatVersion();
        log.outputStartTime(1764900000123L);
        log.outputBaseTime(1764900000123L);
        log.outputLegend();
        double at = 0;
        for (Map.Entry<String, Histogram> e : distributions().entrySet()) {
            e.getValue().setTag(e.getKey());
            log.outputIntervalHistogram(at, at + 1.0015, e.getValue());
            at += 1.0015;
            try (PrintStream out = new PrintStream(new File(folder, e.getKey() + ".hgrm"))) {
                e.getValue().outputPercentileDistribution(out, 5, 1000000.0);
            }
        }
        log.close();
        foreign(folder);
    }

    // foreign writes a log of other habits: no tags, absolute times, two digits
    // and a range that grew by itself.
    static void foreign(File folder) throws Exception {
        HistogramLogWriter log = new HistogramLogWriter(new File(folder, "absolute.hlog"));
        log.outputLogFormatVersion();
        log.outputStartTime(1764900000123L);
        log.outputLegend();
        for (int interval = 0; interval < 3; interval++) {
            Histogram grown = new Histogram(2);
            for (int i = 0; i < 1000; i++) grown.recordValue(random(1L << (20 + 5 * interval)));
            grown.setStartTimeStamp(1764900000123L + interval * 1000L);
            grown.setEndTimeStamp(1764900000123L + interval * 1000L + 1000L);
            log.outputIntervalHistogram(grown);
        }
        log.close();
    }
}
