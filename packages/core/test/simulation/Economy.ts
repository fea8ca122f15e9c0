import { Context, Effect } from "effect"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import { Charges } from "../../src/ports/Charges.ts"
import type { SettlementJournal } from "../../../providers/src/facilitator/SettlementJournal.ts"
import type { FacilitatorClient } from "../../src/toll/facilitator/FacilitatorOptions.ts"
import { checkBalances, type FinalState } from "./BalanceChecks.ts"
import type { HostAccounts, MoneyChain, Transfer } from "./chain/MoneyChain.ts"
import type { FaultPlan } from "./FaultPlan.ts"
import type { NodeChange } from "./solana/SolanaNetwork.ts"
import type { InvariantChecker } from "./InvariantChecker.ts"
import type { Link } from "./Link.ts"
import type { Challenge, Payment, PayOptions, SignedPayment } from "./Payment.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { ChainEnvironment, Environment } from "./Server.ts"
import type { SettlementRail } from "./SimulatedFacilitator.ts"
import type { Simulation } from "./Simulation.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"
import type { Storage } from "./Storage.ts"

/** The price of everything, and a balance larger than any payer can spend. */
export const priceAtomic = 5_000_000n
export const plentyAtomic = 1_000n * priceAtomic

/** The chain family on which a world pays. */
export type RailName = "evm" | "solana"

/** What an economy is made of. */
export interface EconomyOptions {
  readonly random: SeededRandom
  readonly faultPlan: FaultPlan
  readonly now: () => number
  readonly after: (millis: number, action: () => void) => void
  /** Every payment signed so far. */
  readonly payments: () => Iterable<Payment>
  readonly note: (what: string) => void
  readonly count: (what: string) => void
  /** Whether the verification of a facilitator elsewhere reads which payments have been used. */
  readonly readsNonces: boolean
  /** The refund wallet of a process that starts: hosts give their machines several, and change them. */
  readonly pickWallet: <A>(wallets: ReadonlyArray<A>) => A
}

/** Refunds that an operator sends by hand. */
export interface ManualTransfers {
  /** `nonce`: 32 random bytes. */
  readonly sign: (to: string, value: string, nonce: string) => Authorization
  /** Sends a signed transfer, and returns what is known about it at once. */
  readonly send: (signed: Authorization) => { readonly outcome: string; readonly transaction: string }
  /** Whether the operator knows that a signed transfer will never move. */
  readonly isOver: (signed: Authorization) => boolean
}

/** Breaks a till's own facilitator. */
export interface FacilitatorChange {
  /** Changes what it reads. */
  readonly node?: NodeChange
  /** On an EVM chain, changes what it records. */
  readonly journal?: (journal: SettlementJournal) => SettlementJournal
  /** Changes what it reports. */
  readonly client?: (client: FacilitatorClient) => FacilitatorClient
}

/** The money of all participants on one chain: accounts, the nodes that serve it, and what others do there. */
export interface Economy {
  readonly chain: MoneyChain
  readonly accounts: HostAccounts
  /** In the spelling of {@link HostAccounts}. */
  readonly honest: ReadonlySet<string>
  readonly manualTransfers: ManualTransfers
  /** How far nodes lag behind the chain. */
  readonly lagMillis: number
  /** Gives all accounts their initial tokens. */
  readonly fund: (payers: number) => void
  readonly payerAddress: (index: number) => string
  readonly pay: (challenge: Challenge, options: PayOptions) => SignedPayment
  /** What a facilitator can do here. */
  readonly settlement: (random: SeededRandom, note: (what: string) => void) => SettlementRail
  /** The attackers, which begin at once. */
  readonly openAttackers: (simulation: Simulation, random: (index: number) => SeededRandom) => void
  readonly scheduleReorganizations: (isActive: () => boolean) => void
  /** What a process has of it. */
  readonly environmentOf: (link: Link) => ChainEnvironment
  /** The facilitator in a process; `undefined`: it is elsewhere. */
  readonly localFacilitator: (link: Link, change?: FacilitatorChange) => FacilitatorClient | undefined
  readonly walletOf: (link: Link) => Pick<Environment["ports"], "refundWallet" | "solanaRefunds">
  /** A third party submits a payment; returns what became of it. */
  readonly sendByThirdParty: (payment: Payment) => string
  /** The payer cancels a payment; returns whether that had an effect. */
  readonly cancel: (payment: Payment) => boolean
  /** Whether the block of a transfer is final: no reorganization can undo it. */
  readonly isFinal: (mined: Pick<Transfer, "minedMillis"> | undefined) => boolean
  /** Time in which a process that wakes up reads the chain for all that is due. */
  readonly readingMillis: number
  /** What is wrong with the transactions that a till's own facilitator has paid for. */
  readonly relayerFaults: () => ReadonlyArray<string>
  /** Its faults end. */
  readonly endFaults: (faultPlan: FaultPlan) => void
}

/** What the checks of money read. */
export const moneyState = (
  { accounts, chain, honest }: Economy,
  { checker, upstream }: { readonly checker: InvariantChecker; readonly upstream: SimulatedUpstream }
): FinalState => ({
  chain,
  accounts,
  checker,
  upstream,
  honest,
  refundFunds: BigInt(accounts.wallets.length + 1) * plentyAtomic
})

/** Checks the final balances. */
export const checkMoney = async (
  economy: Economy,
  options: {
    readonly storage: Storage
    readonly checker: InvariantChecker
    readonly upstream: SimulatedUpstream
  }
): Promise<void> => {
  const { storage, upstream, checker } = options
  const charges = Context.get(await storage.stores(), Charges)
  const totals = await Effect.runPromise(charges.totals(0, 8e15))
  const sumOf = (kind: string): bigint =>
    totals.filter((total) => total.kind === kind).reduce((sum, total) => sum + BigInt(total.amountAtomic), 0n)
  const ledger = {
    settledAtomic: sumOf("settled"),
    reversedAtomic: sumOf("reversed"),
    refundedAtomic: sumOf("refunded")
  }
  const state = moneyState(economy, { checker, upstream })
  for (const fault of [...checkBalances(state, ledger), ...economy.relayerFaults()])
    checker.violation(undefined, fault)
}
