import { Effect } from "effect"
import type { Charge, Charges, Claim, Completion, RepeatRule } from "@till402/core/effect"
import { ageOf, descending, modelCharges, padded, sumOf } from "./ModelCharges.ts"
import { ledgerModel } from "./LedgerModel.ts"

const isOpen = (charge: Charge): boolean =>
  [
    charge.state !== "settled",
    charge.effectPending,
    charge.awaitsFinality,
    charge.responseOwedUntilMillis !== undefined
  ].includes(true)

/** The sort position of an unfinished charge; one with a pending effect is due since 0. */
const turnOf = (charge: Charge): string => {
  const isClaim = charge.state === "claimed"
  return `${isClaim ? "b" : "a"} ${padded(charge.effectPending ? 0 : charge.checkAfterMillis)} ${ageOf(charge)}`
}

const settledPlaceOf = ({ key, settledAtMillis = 0 }: Pick<Charge, "key" | "settledAtMillis">): string =>
  `${padded(settledAtMillis)} ${key}`

const later = {
  attempts: 0,
  checkAfterMillis: 0,
  response: undefined,
  responseExpiredAtMillis: undefined,
  subject: undefined,
  effectPending: false,
  receipt: undefined,
  transferLogIndex: undefined,
  reportedBy: undefined,
  awaitsFinality: false,
  responseOwedUntilMillis: undefined,
  settledAtMillis: undefined,
  refund: undefined
} as const

type Verbs = Charges["Service"]

/** A plain model of `Charges`, written directly from the port's documentation. */
export const chargeModel = (): Verbs => {
  const rows = modelCharges()
  const { change, charges, enter, find, held, isUnderway, lapsed, refunds } = rows

  const repeatedBy = (
    { key, payer }: Pick<Charge, "key" | "payer">,
    { named, repeatKeys, sinceMillis }: RepeatRule
  ): Charge | undefined => {
    const repeatable = descending(charges.all(), ageOf)
      .filter((row) => row.payer === payer && row.key !== key)
      .filter(({ refund, state }) => refund === undefined && state !== "voided")
    const isNamed = ({ operation, paymentId }: Charge): boolean =>
      paymentId !== "" && paymentId === named?.paymentId && operation === named.operation
    const isSame = ({ createdAtMillis, repeatKey }: Charge): boolean =>
      repeatKey !== "" && repeatKeys.includes(repeatKey) && createdAtMillis >= sinceMillis
    return repeatable.find(isNamed) ?? repeatable.find(isSame)
  }
  const findRepeated: Verbs["findRepeated"] = (charge, rule) => Effect.sync(() => repeatedBy(charge, rule))

  const claim: Verbs["claim"] = (charge, lease, nowMillis, limits) =>
    Effect.sync((): Claim => {
      const existing = find(charge.key)
      const isFree =
        existing === undefined ||
        (existing.state === "claimed" && lapsed(existing, nowMillis)) ||
        (held(existing, lease.owner, ["voided"]) && existing.refund?._tag !== "Sent")
      if (!isFree) return { _tag: "Existing", charge: existing }
      const first = limits.repeats && repeatedBy(charge, limits.repeats)
      if (first !== undefined) return { _tag: "Repeated", first }
      const others = charges.all().filter(({ key, payer }) => payer === charge.payer && key !== charge.key)
      const underway = others.filter((row) => isUnderway(row, nowMillis))
      if (underway.length >= limits.maxUnsettled) return { _tag: "Limited", by: "charges" }
      const worked = [...underway, ...others.filter(({ state }) => state === "voided")]
      const exposures = worked
        .map(({ exposureAtomic }) => Number(exposureAtomic))
        .filter((value) => value > 0)
      const exposed = exposures.reduce((sum, value) => sum + value, Number(charge.exposureAtomic))
      const mayAdd = exposures.length === 0 || charge.exposureAtomic === "0"
      if (!mayAdd && exposed > Number(limits.maxExposureAtomic)) return { _tag: "Limited", by: "exposure" }
      charges.delete(({ key }) => key === charge.key)
      charges.add({
        ...charge,
        ...later,
        state: "claimed",
        claimedAfterBlock: existing?.claimedAfterBlock ?? charge.claimedAfterBlock,
        refusedDigest: existing?.refusedDigest ?? "",
        reopenings: existing?.reopenings ?? 0,
        leaseOwner: lease.owner,
        leaseUntilMillis: lease.untilMillis
      })
      return { _tag: "Claimed" }
    })

  const payerActivity: Verbs["payerActivity"] = ({ asset, network, payer, ...age }, sinceMillis, nowMillis) =>
    Effect.sync(() => {
      const theirs = descending(charges.all(), (row) => padded(row.settledAtMillis ?? 0)).filter(
        (row) => row.payer === payer && row.network === network && row.asset === asset
      )
      const open = theirs.filter((row) => isUnderway(row, nowMillis) && ageOf(row) <= ageOf(age))
      const settled = theirs.filter(
        (row) => row.state === "settled" && row.refund === undefined && row.settledAtMillis! >= sinceMillis
      )
      return {
        openAtomic: sumOf(open).toString(),
        settledAtomic: sumOf(settled.slice(0, 200)).toString()
      }
    })

  const complete: Verbs["complete"] = (key, settlement, nowMillis) =>
    Effect.sync((): Completion => {
      const { finalAfterMillis, owner, receipt, refundDue, transferLogIndex } = settlement
      const charge = find(key)
      const isVoidedOpen = charge?.state === "voided" && (refundDue || charge.settlesFirst)
      if (charge?.state !== "ready" && !isVoidedOpen) return { _tag: "NotOpen" }
      if (owner !== undefined && owner !== charge.leaseOwner) return { _tag: "NotOpen" }
      const isRefunded = charge.refund?._tag === "Sent"
      if (isRefunded && !refundDue) return { _tag: "NotOpen" }
      const isSame = (row: Charge) =>
        row.network === charge.network &&
        row.receipt?.transaction === receipt.transaction &&
        row.transferLogIndex === transferLogIndex
      if (transferLogIndex !== undefined && charges.first(isSame) !== undefined)
        return { _tag: "TransferTaken" }
      const owedUntilMillis = refundDue ? undefined : settlement.responseOwedUntilMillis
      const checks = [finalAfterMillis, owedUntilMillis].filter((at) => at !== undefined)
      change(key, () => true, {
        state: "settled",
        attempts: 0,
        checkAfterMillis: checks.toSorted((left, right) => left - right)[0] ?? 0,
        receipt,
        transferLogIndex,
        reportedBy: settlement.reportedBy,
        awaitsFinality: finalAfterMillis !== undefined,
        responseOwedUntilMillis: owedUntilMillis,
        settledAtMillis: nowMillis
      })
      if (finalAfterMillis === undefined) change(key, () => true, { settlement: "" })
      enter(key, "settled", nowMillis, receipt.transaction)
      if (isRefunded) return { _tag: "Completed" }
      if (refundDue) enter(key, "refund_due", nowMillis)
      change(key, () => refundDue, { refund: { _tag: "Due", startedAtMillis: undefined } })
      change(key, ({ subject }) => !refundDue && subject !== undefined, { effectPending: true })
      return { _tag: "Completed" }
    })

  const reopen: Verbs["reopen"] = (key, owner, nowMillis) =>
    Effect.sync(() => {
      const charge = find(key)
      const isUndoable =
        charge !== undefined &&
        held(charge, owner, ["settled"]) &&
        charge.awaitsFinality &&
        (charge.refund?._tag === "Sent" || refunds.first((refund) => refund.key === key) === undefined)
      if (!isUndoable) return false
      enter(key, "reversed", nowMillis, charge.receipt!.transaction)
      const { receipt, transferLogIndex, awaitsFinality, responseOwedUntilMillis, settledAtMillis } = later
      const refund = charge.refund?._tag === "Sent" ? charge.refund : undefined
      const undone = {
        receipt,
        transferLogIndex,
        reportedBy: later.reportedBy,
        awaitsFinality,
        responseOwedUntilMillis,
        settledAtMillis,
        refund
      }
      const reopenings = charge.reopenings + 1
      const hasResponse = charge.response !== undefined || charge.responseExpiredAtMillis !== undefined
      const isReady = hasResponse || charge.settlesFirst
      const to = isReady ? ({ state: "ready" } as const) : ({ state: "voided", settlement: "" } as const)
      return change(key, () => true, { ...undone, ...to, effectPending: false, reopenings })
    })

  const isBulk = ({ refund, state, subject }: Charge) =>
    state === "voided" && subject === undefined && refund?._tag !== "Sent"
  const due = (nowMillis: number) =>
    descending(
      charges
        .all()
        .filter((row) => isOpen(row) && lapsed(row, nowMillis))
        .filter((row) => row.effectPending || row.checkAfterMillis <= nowMillis),
      turnOf
    ).toReversed()

  return {
    find: (key) => Effect.sync(() => find(key)),
    claim,
    findRepeated,
    payerActivity,
    advance: (key, owner, outcome) =>
      Effect.sync(() => change(key, (row) => held(row, owner, ["claimed"]), { state: "ready", ...outcome })),
    complete,
    deliver: (key, owner, response) =>
      Effect.sync(() => {
        const isRefundDue = (row: Charge) =>
          held(row, owner, ["settled"]) &&
          row.responseOwedUntilMillis !== undefined &&
          row.refund === undefined
        return change(key, isRefundDue, { response, responseOwedUntilMillis: undefined })
      }),
    finalize: (key, owner) =>
      Effect.sync(() =>
        change(key, (row) => held(row, owner, ["settled"]) && row.awaitsFinality, {
          awaitsFinality: false,
          settlement: ""
        })
      ),
    reopen,
    markApplied: (key) =>
      Effect.sync(() => change(key, ({ effectPending }) => effectPending, { effectPending: false })),
    void: (key, owner, { checkAfterMillis, isRefused, keepExposure }) =>
      Effect.sync(() =>
        change(key, (row) => held(row, owner, ["claimed", "ready"]), {
          state: "voided",
          leaseUntilMillis: 0,
          attempts: 0,
          checkAfterMillis,
          settlement: "",
          response: undefined,
          ...(keepExposure ? {} : { exposureAtomic: "0" }),
          ...(isRefused === true ? { refusedDigest: find(key)?.payloadDigest ?? "" } : {})
        })
      ),
    release: (key, owner) =>
      Effect.sync(
        () =>
          charges.delete(
            (row) => row.key === key && held(row, owner, ["claimed", "voided"]) && row.refund?._tag !== "Sent"
          ) === 1
      ),
    takeOver: (key, lease, nowMillis) =>
      Effect.sync(() =>
        change(key, (row) => isOpen(row) && lapsed(row, nowMillis), {
          leaseOwner: lease.owner,
          leaseUntilMillis: lease.untilMillis
        })
      ),
    yieldLease: (key, owner, untilMillis) =>
      Effect.sync(() => {
        change(key, ({ leaseOwner }) => leaseOwner === owner, { leaseUntilMillis: untilMillis })
      }),
    defer: (key, owner, checkAfterMillis) =>
      Effect.sync(() => {
        const attempts = (find(key)?.attempts ?? 0) + 1
        const deferred = { leaseUntilMillis: 0, attempts, checkAfterMillis }
        change(key, ({ leaseOwner }) => leaseOwner === owner, deferred)
      }),
    unfinished: (nowMillis, limit) =>
      Effect.sync(() =>
        due(nowMillis)
          .filter((row) => !isBulk(row))
          .slice(0, limit)
      ),
    voidedDue: (nowMillis, limit) => Effect.sync(() => due(nowMillis).filter(isBulk).slice(0, limit)),
    releaseVoided: (keys, nowMillis) =>
      Effect.sync(() =>
        charges.delete((row) => keys.includes(row.key) && isBulk(row) && lapsed(row, nowMillis))
      ),
    list: ({ before, isRefundDue, limit, payer, paymentId, state, subjectKind, transaction }) =>
      Effect.sync(() =>
        descending(charges.all(), ageOf)
          .filter((row) => state === undefined || row.state === state)
          .filter((row) => isRefundDue !== true || row.refund?._tag === "Due")
          .filter((row) => payer === undefined || row.payer === payer)
          .filter((row) => paymentId === undefined || row.paymentId === paymentId)
          .filter((row) => transaction === undefined || row.receipt?.transaction === transaction)
          .filter((row) => subjectKind === undefined || row.subject?.kind === subjectKind)
          .filter((row) => before === undefined || ageOf(row) < ageOf(before))
          .slice(0, limit)
      ),
    listSettled: ({ after, beforeMillis = Infinity, chargeKeys, fromMillis = 0, limit }) =>
      Effect.sync(() =>
        descending(
          charges.all().filter(({ state }) => state === "settled"),
          settledPlaceOf
        )
          .toReversed()
          .filter((row) => row.settledAtMillis! >= fromMillis && row.settledAtMillis! < beforeMillis)
          .filter((row) => chargeKeys === undefined || chargeKeys.includes(row.key))
          .filter((row) => after === undefined || settledPlaceOf(row) > settledPlaceOf(after))
          .slice(0, limit)
          .map((row) => ({
            key: row.key,
            network: row.network,
            asset: row.asset,
            payer: row.payer,
            payTo: row.payTo,
            amountAtomic: row.amountAtomic,
            validBeforeSeconds: row.validBeforeSeconds,
            reopenings: row.reopenings,
            receipt: row.receipt,
            transferLogIndex: row.transferLogIndex,
            reportedBy: row.reportedBy,
            responseOwedUntilMillis: row.responseOwedUntilMillis,
            settledAtMillis: row.settledAtMillis!,
            refund: row.refund,
            hasResponse: row.response !== undefined || row.responseExpiredAtMillis !== undefined
          }))
      ),
    expire: (beforeMillis, limit) =>
      Effect.sync(() => {
        const old = charges
          .all()
          .filter(
            ({ response, settledAtMillis }) => response !== undefined && settledAtMillis! < beforeMillis
          )
          .slice(0, limit)
        for (const { key } of old)
          change(key, () => true, { response: undefined, responseExpiredAtMillis: beforeMillis })
        return old.length
      }),
    countUnderKey: (keyId, operations, sinceMillis, nowMillis) =>
      Effect.sync(() => {
        const rows = charges.all().filter(({ fingerprint }) => fingerprint.indexOf(`${keyId}:`) === 0)
        const isReplayed = ({ response, settledAtMillis = -1 }: Charge) =>
          response !== undefined && settledAtMillis >= sinceMillis
        return rows.filter(
          (row) =>
            (operations ?? [row.operation]).includes(row.operation) &&
            [row.state === "ready", (row.responseOwedUntilMillis ?? 0) > nowMillis, isReplayed(row)].includes(
              true
            )
        ).length
      }),
    ...ledgerModel(rows)
  }
}
