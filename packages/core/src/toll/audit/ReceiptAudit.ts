import { Clock, Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { type Network, networkOfAsset } from "../../domain/Network.ts"
import type { Charges, SettledCharge } from "../../ports/Charges.ts"
import type { Marks } from "../../ports/StorageMarks.ts"
import type { Chain } from "../evidence/Chain.ts"
import { chargedAuthorization } from "../machine/ChargedAuthorization.ts"
import { type AfterRead, afterRead, judgeReceipt, noReads, type Reads } from "./ReceiptVerdict.ts"

/*
 * Checks the settlements that only a facilitator has reported: in the order in which they settled, many by one search of a
 * range of blocks, as soon as these are final. Those that aren't found there are looked up one by one.
 */

/** A settled charge that only a facilitator's receipt shows. */
export type Receipt = SettledCharge & Required<Pick<SettledCharge, "receipt">>

/** A receipt that two reads have shown to be false. */
export interface FalseReceipt {
  readonly charge: Receipt
  readonly reason: Extract<AfterRead, { readonly _tag: "Confirmed" }>["reason"]
}

interface Suspect {
  readonly charge: Receipt
  readonly reads: Reads
  /** When it is looked up next. */
  readonly atMillis: number
}

interface Services {
  readonly charges: Pick<Charges["Service"], "listSettled">
  readonly chain: Pick<Chain["Service"], "evidence"> & Required<Pick<Chain["Service"], "paidWithin">>
  readonly marks: Marks | undefined
  /** Called once for each. */
  readonly onFalse: (found: FalseReceipt) => Effect.Effect<void>
}

type AuditedNetwork = Pick<Network, "caip2" | "finalitySeconds">

type Position = Pick<SettledCharge, "key" | "settledAtMillis">

const minute = 60_000
const day = 24 * 60 * minute
/** Between the record of a settlement and its block, on either side: what is outside is looked up by itself. */
const earlyMillis = 2 * minute
const lateMillis = minute
/** Receipts of one search, and rows that are read for it. */
const maxReceipts = 200
const pageSize = 200
const maxPages = 5
/** From the first to the last receipt of one search. Halved while a node refuses it: some allow only a few blocks. */
const maxWindowMillis = 30 * minute
const minWindowMillis = minute
const pauseMillis = 5 * minute
/** Searches of one shortest window, in four hours; after these, its receipts are looked up one by one. */
const maxRefusals = 48
/** Receipts to look up one by one. Above it, no more are searched for. */
const maxSuspects = 1_000
/** Receipts of the last day are always checked again after a start: what was known of them is lost with the process. */
const recheckMillis = day
/** The oldest that a start goes back to. */
const maxBackMillis = 30 * day

const markPrefix = (caip2: string): string => `receipts ${caip2} `
const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/**
 * Where the audit of a network begins: at the newest day of which a mark says that all receipts before it were checked, and
 * at least a day ago. Pure.
 */
export const startOf = (caip2: string, marks: ReadonlyMap<string, string>, nowMillis: number): Position => {
  const prefix = markPrefix(caip2)
  const days = [...marks.keys()]
    .filter((name) => name.startsWith(prefix))
    .map((name) => Date.parse(name.slice(prefix.length)))
    .filter((millis) => Number.isFinite(millis))
  const checkedMillis = days.length === 0 ? nowMillis : Math.max(...days)
  const millis = Math.max(Math.min(checkedMillis, nowMillis - recheckMillis), nowMillis - maxBackMillis)
  return { key: "", settledAtMillis: millis }
}

/** A second read that confirms a lie comes first: a facilitator that lies often would outlive its own queue. */
const isBefore = (left: Suspect, right: Suspect): boolean => {
  const [isLie, isOther] = [left, right].map(({ reads }) => reads.falseAtMillis !== undefined)
  return isLie === isOther ? left.atMillis < right.atMillis : isLie === true
}

const isReceipt = (charge: SettledCharge): charge is Receipt =>
  charge.receipt !== undefined && charge.transferLogIndex === undefined

/** The audit of one network's receipts by one process. Each {@link tick} reads its chain once at most. */
export class ReceiptAudit {
  private readonly services: Services
  private readonly network: AuditedNetwork
  private position: Position | undefined
  private markedDay: string | undefined
  private windowMillis = maxWindowMillis
  private pausedUntilMillis = 0
  /** Searches of the shortest window that were refused in a row. */
  private refusals = 0
  private readonly suspects = new Map<string, Suspect>()
  private lookedUpLast = false

  constructor(services: Services, network: AuditedNetwork) {
    this.services = services
    this.network = network
  }

  /** Searches for the next receipts, or looks one up that was not found. In turn, so that neither holds up the other. */
  readonly tick: Effect.Effect<void, StoreError> = Effect.suspend(() =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => this.tickAt(nowMillis))
  )

  private readonly tickAt = Effect.fnUntraced({ self: this }, function* (nowMillis: number): Effect.fn.Return<
    void,
    StoreError
  > {
    const suspect = this.dueSuspect(nowMillis)
    if (suspect === undefined || this.lookedUpLast) {
      this.lookedUpLast = false
      if ((yield* this.searchNext(nowMillis)) || suspect === undefined) return
    }
    this.lookedUpLast = true
    yield* this.lookUp(suspect, nowMillis)
  })

  private dueSuspect(nowMillis: number): Suspect | undefined {
    let first: Suspect | undefined
    for (const suspect of this.suspects.values())
      if (suspect.atMillis <= nowMillis && (first === undefined || isBefore(suspect, first))) first = suspect
    return first
  }

  /** Returns whether the chain was read. */
  private readonly searchNext = Effect.fnUntraced(
    { self: this },
    function* (nowMillis: number): Effect.fn.Return<boolean, StoreError> {
      if (nowMillis < this.pausedUntilMillis || this.suspects.size + maxReceipts > maxSuspects) return false
      const { last, receipts } = yield* this.nextReceipts(nowMillis)
      const [first] = receipts
      const network = first === undefined ? undefined : networkOfAsset(this.network.caip2, first.asset)
      // Of a token that can't be read any more, nothing is found out.
      if (first === undefined || network === undefined) {
        yield* this.moveTo(last)
        return false
      }
      const paid = yield* this.services.chain.paidWithin(
        network,
        receipts.map((charge) => chargedAuthorization(charge)),
        {
          fromSeconds: Math.floor((first.settledAtMillis - earlyMillis) / 1000),
          beforeSeconds: Math.ceil((receipts.at(-1)!.settledAtMillis + lateMillis) / 1000)
        }
      )
      if (paid === undefined) {
        const isShortest = this.windowMillis === minWindowMillis
        this.windowMillis = Math.max(this.windowMillis / 2, minWindowMillis)
        this.refusals = isShortest ? this.refusals + 1 : 0
        if (!isShortest) return true
        this.pausedUntilMillis = nowMillis + pauseMillis
        // One span that no search can read, such as a block full of transfers, must not end the audit.
        if (this.refusals < maxRefusals) return true
      }
      this.refusals = 0
      this.windowMillis = Math.min(this.windowMillis * 2, maxWindowMillis)
      for (const [index, charge] of receipts.entries())
        if (paid?.[index] === undefined && !this.suspects.has(charge.key))
          this.suspects.set(charge.key, { charge, reads: noReads, atMillis: nowMillis })
      yield* this.moveTo(last)
      return true
    }
  )

  /** The next receipts in one token, close enough for one search, and the last charge before the ones after them. */
  private readonly nextReceipts = Effect.fnUntraced(
    { self: this },
    function* (
      nowMillis: number
    ): Effect.fn.Return<{ readonly receipts: ReadonlyArray<Receipt>; readonly last: Position }, StoreError> {
      const { caip2, finalitySeconds } = this.network
      const beforeMillis = nowMillis - finalitySeconds * 1000 - lateMillis
      const receipts: Array<Receipt> = []
      let last = this.position ?? (yield* this.start(nowMillis))
      for (let page = 0; page < maxPages; page++) {
        const rows: ReadonlyArray<SettledCharge> = yield* this.services.charges.listSettled({
          after: last,
          beforeMillis,
          limit: pageSize
        })
        for (const row of rows) {
          if (row.network === caip2 && isReceipt(row)) {
            if (this.isBeyond(receipts, row)) return { receipts, last }
            receipts.push(row)
          }
          last = row
        }
        if (rows.length < pageSize) break
      }
      return { receipts, last }
    }
  )

  private isBeyond(receipts: ReadonlyArray<Receipt>, { asset, settledAtMillis }: Receipt): boolean {
    const [first] = receipts
    if (first === undefined) return false
    return (
      receipts.length === maxReceipts ||
      asset !== first.asset ||
      settledAtMillis - first.settledAtMillis > this.windowMillis
    )
  }

  private start(nowMillis: number): Effect.Effect<Position, StoreError> {
    const { marks } = this.services
    const known = marks === undefined ? Effect.succeed(new Map<string, string>()) : marks.all
    return Effect.map(known, (found) => {
      const position = startOf(this.network.caip2, found, nowMillis)
      this.markedDay = dayOf(position.settledAtMillis)
      return position
    })
  }

  /** Goes on from a charge, and marks the day that begins with it: what settled before needs no check after a restart. */
  private readonly moveTo = Effect.fnUntraced(
    { self: this },
    function* ({ key, settledAtMillis }: Position): Effect.fn.Return<void, StoreError> {
      const reached = dayOf(settledAtMillis)
      if (this.services.marks !== undefined && reached !== this.markedDay) {
        yield* this.services.marks.add(markPrefix(this.network.caip2) + reached, "")
        this.markedDay = reached
      }
      this.position = { key, settledAtMillis }
    }
  )

  private readonly lookUp = Effect.fnUntraced(
    { self: this },
    function* ({ charge, reads }: Suspect, nowMillis: number): Effect.fn.Return<void> {
      const network = networkOfAsset(charge.network, charge.asset)
      if (network === undefined) return void this.suspects.delete(charge.key)
      const { transaction } = charge.receipt!
      const evidence = yield* this.services.chain.evidence(network, chargedAuthorization(charge), {
        transaction
      })
      const { validBeforeSeconds } = charge
      const verdict = judgeReceipt(
        { transaction, validBeforeSeconds },
        evidence,
        this.network.finalitySeconds
      )
      const next = afterRead(reads, verdict, nowMillis)
      if (next._tag === "Again") {
        this.suspects.set(charge.key, { charge, reads: next.reads, atMillis: next.atMillis })
        return
      }
      this.suspects.delete(charge.key)
      if (next._tag === "Confirmed") yield* this.services.onFalse({ charge, reason: next.reason })
    }
  )
}
