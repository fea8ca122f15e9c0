/*
 * What is mutated, and which tests judge it: the one place to change when a file is added or renamed.
 *
 * Each file is judged by its own tests alone, not by the whole suite. A decision that only a test three layers away
 * notices is found late and hard to mend; and a mutant costs milliseconds instead of seconds.
 */

export interface MutatedFile {
  /** From the root of the workspace. */
  readonly file: string
  /** Tests, fastest first: a mutant ends with the first test that fails. */
  readonly tests: ReadonlyArray<string>
}

const core = (file: string, ...tests: ReadonlyArray<string>): MutatedFile => ({
  file: `packages/core/src/${file}`,
  tests: tests.map((test) => `packages/core/test/${test}`)
})

const evidence = [
  "toll/evidence/searchEdges.test.ts",
  "toll/evidence/evidence.test.ts",
  "toll/evidence/evidenceSearch.test.ts",
  "toll/evidence/unpaidNonces.test.ts"
]

/** The files that decide about money. */
export const scope: ReadonlyArray<MutatedFile> = [
  core("toll/Transitions.ts", "toll/machine.test.ts", "toll/chainSteps.test.ts"),
  core("toll/ChainSteps.ts", "toll/chainSteps.test.ts"),
  core("toll/CommonSteps.ts", "toll/machine.test.ts", "toll/chainSteps.test.ts"),
  core("toll/Resume.ts", "toll/resume.test.ts"),
  core("toll/Verdict.ts", "toll/verdict.test.ts"),
  core("toll/Settling.ts", "toll/settling.test.ts"),
  core("toll/Reconcile.ts", "toll/reconciling.test.ts"),
  core("toll/ChargedAuthorization.ts", "toll/chargeKey.test.ts"),
  core("toll/SettlementProof.ts", "toll/settlementProof.test.ts"),
  core("toll/TransferMatch.ts", "toll/transferMatch.test.ts"),
  core("toll/evidence/TransferProof.ts", "toll/evidence/transferProof.test.ts"),
  core("toll/evidence/ChainEvidence.ts", "toll/evidence/chainEvidence.test.ts"),
  core("toll/evidence/EvidenceSearch.ts", ...evidence),
  core("toll/evidence/BlockSearch.ts", "toll/evidence/blockSearch.test.ts", ...evidence),
  core("toll/evidence/LogSearch.ts", "toll/evidence/logSearch.test.ts", ...evidence),
  core("toll/evidence/TransferSearch.ts", "toll/evidence/chain.test.ts"),
  core(
    "toll/evidence/ChainNode.ts",
    "toll/evidence/chainNode.test.ts",
    "toll/evidence/chain.test.ts",
    ...evidence
  ),
  core("toll/Chain.ts", "toll/evidence/chain.test.ts", ...evidence),
  core("toll/PayerAccounts.ts", "toll/payerAccounts.test.ts"),
  core("toll/LossBudget.ts", "toll/lossBudget.test.ts"),
  core("toll/ChargeKey.ts", "toll/chargeKey.test.ts"),
  core("toll/exact/Evm.ts", "toll/evm.test.ts", "toll/recoverSigner.test.ts"),
  core("toll/facilitator/Wire.ts", "facilitator/wire.test.ts"),
  core("orders/Transitions.ts", "orders/transitions.test.ts"),
  core(
    "orders/RefundGuard.ts",
    "orders/refundGuard.test.ts",
    "orders/refundRules.test.ts",
    "orders/refunds.test.ts"
  ),
  core("orders/Refunds.ts", "orders/refundSending.test.ts", "orders/refunds.test.ts"),
  core("domain/Money.ts", "domain/money.test.ts")
]

/** Lowest score, in percent, of all files together. */
export const lowestScore = 95

const variable = "TILL402_MUTATION_TESTS"

/**
 * Tells the processes that Stryker starts which tests to load. Its own option for that, `testFiles`, never activates
 * mutants of code that runs while a module loads, so that all of those would survive.
 */
export const chooseTests = ({ tests }: MutatedFile): void => {
  process.env[variable] = JSON.stringify(tests)
}

export const testsOfRun = (): ReadonlyArray<string> => JSON.parse(process.env[variable] ?? "[]")
