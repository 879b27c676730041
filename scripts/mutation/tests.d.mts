/** Paths of the tests a mutant has to survive, from the project's root. */
export declare const testFiles: readonly string[];
