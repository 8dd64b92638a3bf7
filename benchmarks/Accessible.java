// Checks PDFs against PDF/UA-1 with veraPDF: see benchmarks/accessible.py.

import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

public class Accessible {
    public static void main(String[] names) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        PDFAFlavour flavour = PDFAFlavour.fromString("ua1");
        for (String name : names) {
            try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(name), flavour)) {
                print(name, Foundries.defaultInstance().createValidator(flavour, true).validate(parser));
            }
        }
    }

    private static void print(String name, ValidationResult result) {
        Map<String, Integer> failures = new TreeMap<>();
        for (TestAssertion test : result.getTestAssertions()) {
            if (test.getStatus() == TestAssertion.Status.FAILED) {
                String rule = test.getRuleId().getClause() + "-" + test.getRuleId().getTestNumber();
                failures.merge(rule + " " + test.getMessage(), 1, Integer::sum);
            }
        }
        System.out.println((result.isCompliant() ? "holds" : "fails") + "\t" + name + "\t" + result.getTotalAssertions());
        failures.forEach((rule, count) -> System.out.println("\t" + count + " times: " + rule));
    }
}
