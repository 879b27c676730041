/** Paths of the tests for mutants, relative to the project's root. */
export declare const testFiles: readonly string[];
