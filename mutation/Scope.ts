/*
 * What is mutated, and which tests judge it: the one place to change when a file is added or renamed.
 *
 * Each file is judged by its own tests alone, not by the whole suite. A decision that only a test three layers away
 * notices is found late and hard to mend; and a mutant costs milliseconds instead of seconds.
 */

export interface MutatedFile {
  /** From the root of the workspace. */
  readonly file: string
  /** Tests, fastest first: a mutant ends with the first failing test. */
  readonly tests: ReadonlyArray<string>
}

const inPackage =
  (name: string) =>
  (file: string, ...tests: ReadonlyArray<string>): MutatedFile => ({
    file: `packages/${name}/src/${file}`,
    tests: tests.map((test) => `packages/${name}/test/${test}`)
  })

const core = inPackage("core")
const providers = inPackage("providers")

const evidence = [
  "toll/evidence/EvidenceSearch.edges.test.ts",
  "toll/evidence/EvidenceSearch.transfers.test.ts",
  "toll/evidence/EvidenceSearch.test.ts",
  "toll/evidence/EvidenceSearch.unpaidNonces.test.ts",
  "toll/evidence/EvidenceSearch.claims.test.ts"
]

const chainDecision = ["toll/machine/ChainDecision.test.ts", "toll/machine/ChainDecision.finality.test.ts"]
const machine = [
  "shop/orders/OrderMachine.test.ts",
  "shop/orders/OrderMachine.placing.test.ts",
  "shop/orders/OrderMachine.following.test.ts"
]
const sending = [
  "refunds/RefundSender.test.ts",
  "refunds/RefundSender.funds.test.ts",
  "refunds/RefundSender.wallets.test.ts",
  "refunds/Refunds.sweep.test.ts"
]
const refunding = ["refunds/Refunds.test.ts", "refunds/Refunds.stop.test.ts"]

/** The files that decide about money. */
export const scope: ReadonlyArray<MutatedFile> = [
  core(
    "toll/machine/ChargeMachine.ts",
    "toll/machine/ChargeMachine.test.ts",
    "toll/machine/SettlementMachine.test.ts"
  ),
  core(
    "toll/machine/SettlementMachine.ts",
    "toll/machine/SettlementMachine.test.ts",
    ...chainDecision,
    "toll/machine/ChargeMachine.test.ts"
  ),
  core("toll/machine/ChainDecision.ts", ...chainDecision),
  core(
    "toll/machine/Plans.ts",
    "toll/machine/ChargeMachine.test.ts",
    "toll/machine/SettlementMachine.test.ts",
    ...chainDecision
  ),
  core("toll/machine/ReplayDecision.ts", "toll/machine/ReplayDecision.test.ts"),
  core("toll/perform/RepeatedPayments.ts", "toll/perform/RepeatedPayments.test.ts"),
  core("shop/goods/OrderIdentity.ts", "shop/goods/OrderIdentity.test.ts"),
  core("toll/request/Verdict.ts", "toll/request/Verdict.test.ts", "toll/exact/Solana.test.ts"),
  core(
    "toll/perform/SettlementPerformer.ts",
    "toll/perform/SettlementPerformer.test.ts",
    "toll/perform/SettlementPerformer.completing.test.ts",
    "toll/perform/SettlementPerformer.givingUp.test.ts",
    "toll/perform/queryChain.test.ts"
  ),
  core("toll/perform/queryChain.ts", "toll/perform/queryChain.test.ts"),
  core("toll/machine/SettlementTask.ts", "toll/machine/SettlementTask.test.ts"),
  core("toll/perform/driveSteps.ts", "toll/perform/driveSteps.test.ts"),
  core(
    "toll/perform/Reconciler.ts",
    "toll/perform/Reconciler.test.ts",
    "toll/perform/Reconciler.refused.test.ts"
  ),
  core("toll/machine/ChargedAuthorization.ts", "toll/machine/ChargedAuthorization.test.ts"),
  core("toll/audit/SettlementProof.ts", "toll/audit/SettlementProof.test.ts"),
  core("toll/audit/TransferMatch.ts", "toll/audit/TransferMatch.test.ts"),
  core("toll/audit/ReceiptVerdict.ts", "toll/audit/ReceiptVerdict.test.ts"),
  core("toll/evidence/TransferProof.ts", "toll/evidence/TransferProof.test.ts"),
  core("toll/evidence/ChainEvidence.ts", "toll/evidence/ChainEvidence.test.ts"),
  core("toll/evidence/EvidenceSearch.ts", ...evidence),
  core("toll/evidence/ChainHead.ts", "toll/evidence/ChainHead.test.ts"),
  core("toll/evidence/HeadPoll.ts", "toll/evidence/HeadPoll.test.ts"),
  core("toll/evidence/BlockSearch.ts", "toll/evidence/BlockSearch.test.ts", ...evidence),
  core("toll/evidence/LogSearch.ts", "toll/evidence/LogSearch.test.ts", ...evidence),
  core(
    "toll/evidence/TransferSearch.ts",
    "toll/evidence/ChainReader.test.ts",
    "toll/evidence/PaidSearch.test.ts"
  ),
  core(
    "toll/evidence/ChainNode.ts",
    "toll/evidence/ChainNode.test.ts",
    "toll/evidence/ChainReader.facts.test.ts",
    "toll/evidence/ChainReader.token.test.ts",
    "toll/evidence/ChainReader.test.ts",
    ...evidence
  ),
  core(
    "toll/evidence/ChainReader.ts",
    "toll/evidence/ChainReader.facts.test.ts",
    "toll/evidence/PaidSearch.test.ts",
    "toll/evidence/ChainReader.token.test.ts",
    "toll/evidence/ChainReader.test.ts",
    ...evidence
  ),
  core("toll/limits/PayerAccounts.ts", "toll/limits/PayerAccounts.test.ts"),
  core("toll/limits/OpenCalls.ts", "toll/limits/OpenCalls.test.ts"),
  core("toll/limits/PaymentReversals.ts", "toll/limits/PaymentReversals.test.ts"),
  core("toll/limits/LossBudget.ts", "toll/limits/LossBudget.test.ts"),
  core("toll/limits/StrangerLosses.ts", "toll/limits/StrangerLosses.test.ts"),
  core("toll/request/ChargeKey.ts", "toll/request/ChargeKey.test.ts", "toll/exact/SignedPayment.test.ts"),
  core("toll/exact/Evm.ts", "toll/exact/Evm.test.ts", "fast/recoverSigner.mocked.test.ts"),
  core("toll/exact/Solana.ts", "toll/exact/Solana.test.ts"),
  core("toll/exact/SignedPayment.ts", "toll/exact/SignedPayment.test.ts"),
  core("toll/evidence/solana/SolanaEvidence.ts", "toll/evidence/solana/SolanaEvidence.test.ts"),
  core(
    "toll/evidence/solana/SolanaSearch.ts",
    "toll/evidence/solana/SolanaChain.test.ts",
    "toll/evidence/solana/SolanaSearch.test.ts"
  ),
  core("toll/evidence/solana/LastSlot.ts", "toll/evidence/solana/SolanaSearch.test.ts"),
  core("toll/evidence/solana/SolanaListing.ts", "toll/evidence/solana/SolanaListing.test.ts"),
  core("toll/evidence/solana/SolanaTransfers.ts", "toll/evidence/solana/SolanaChain.test.ts"),
  core("domain/SolanaTransaction.ts", "domain/SolanaTransaction.test.ts"),
  core("fast/authorizationHash.ts", "fast/authorizationHash.test.ts"),
  core("toll/facilitator/Wire.ts", "toll/facilitator/Wire.test.ts"),
  core("toll/facilitator/CircuitBreaker.ts", "toll/facilitator/CircuitBreaker.test.ts"),
  core(
    "toll/facilitator/FacilitatorGroup.ts",
    "toll/facilitator/FacilitatorGroup.test.ts",
    "toll/facilitator/FacilitatorGroup.lists.test.ts",
    "toll/facilitator/FacilitatorGroup.health.test.ts"
  ),
  core("shop/orders/OrderMachine.ts", ...machine),
  core("shop/orders/OrderMove.ts", ...machine),
  core("shop/orders/OrderStep.ts", "shop/orders/OrderStep.test.ts", ...machine),
  core(
    "refunds/RefundGuard.ts",
    "refunds/RefundGuard.test.ts",
    "refunds/RefundGuard.rules.test.ts",
    ...refunding
  ),
  core("refunds/LedgerWatch.ts", "refunds/LedgerWatch.test.ts", ...refunding),
  core(
    "refunds/RefundAuthorization.ts",
    "refunds/RefundAuthorization.test.ts",
    "refunds/ManualRefunds.test.ts",
    ...sending,
    ...refunding
  ),
  core("refunds/RefundRetries.ts", "refunds/RefundRetries.test.ts", ...sending),
  core("refunds/ManualRefunds.ts", "refunds/ManualRefunds.test.ts"),
  core("toll/audit/OutflowAudit.ts", "toll/audit/OutflowAudit.test.ts"),
  core("toll/audit/RefundAudit.ts", "toll/audit/RefundAudit.test.ts"),
  core("refunds/RefundTurn.ts", "refunds/RefundTurn.test.ts"),
  core("refunds/RefundSender.ts", ...sending, ...refunding),
  core("refunds/Refunds.ts", ...sending, ...refunding, "refunds/SolanaRefundSender.test.ts"),
  core("refunds/SolanaRefundSender.ts", "refunds/SolanaRefundSender.test.ts"),
  core("shop/vault/FreeDownloads.ts", "shop/vault/FreeDownloads.test.ts", "http/SignIns.test.ts"),
  core("http/SignIns.ts", "http/SignIns.test.ts", "shop/vault/FreeDownloads.test.ts"),
  core("toll/signin/SignInProof.ts", "toll/signin/SignInProof.test.ts"),
  core("domain/Money.ts", "domain/Money.test.ts"),
  providers("facilitator/PresentedPayment.ts", "facilitator/PresentedPayment.test.ts"),
  providers("facilitator/OpenTransactions.ts", "facilitator/OpenTransactions.test.ts"),
  providers("facilitator/RevertBudget.ts", "facilitator/RevertBudget.test.ts"),
  providers("facilitator/GasReservations.ts", "facilitator/GasReservations.test.ts"),
  providers("solana-facilitator/TransactionTerms.ts", "solana-facilitator/TransactionTerms.test.ts"),
  providers("solana-facilitator/OpenPayments.ts", "solana-facilitator/OpenPayments.test.ts")
]

/** Lowest score, in percent, of all files together. */
export const lowestScore = 95

const variable = "TILL402_MUTATION_TESTS"

/**
 * Passes the tests to load to the processes that Stryker starts. Its own option for that, `testFiles`, never activates
 * mutants of code that runs while a module loads, so that all of those would survive.
 */
export const chooseTests = ({ tests }: MutatedFile): void => {
  process.env[variable] = JSON.stringify(tests)
}

export const testsOfRun = (): ReadonlyArray<string> => JSON.parse(process.env[variable] ?? "[]")
