import type { Charge } from "../../../src/ports/Charges.ts"
import type { ChargeEvent, ChargeStep, Ending, KeyState, Plan } from "../../../src/toll/machine/ChargeStep.ts"
import type { Refusal } from "../../../src/toll/request/Verdict.ts"
import {
  blind,
  call,
  chargeIn,
  checkFunds,
  deferred,
  end,
  failed,
  find,
  gaveUp,
  inProgress,
  left,
  limited,
  nowMillis,
  paid,
  paidWork,
  pending,
  product,
  provisionalWork,
  receipt,
  refused,
  refusedHeld,
  refusedUnlessCopied,
  rolledBack,
  type Row,
  settleFirst,
  task,
  unverifiable,
  validBeforeSeconds,
  voided,
  waitAndFind,
  work,
  workDue
} from "./machineRows.ts"

/*
 * The steps of a call's request, each event that they can have, and the plan that follows.
 */

const own = refused("no")
export const judge = (key: KeyState): Plan => [{ _tag: "Judge", key }]
export const verify = (key: KeyState): Plan => [{ _tag: "Verify", task, key }]
export const claim = (key: KeyState): Plan => [{ _tag: "Claim", task, key }]
export const claimRefused = (ending: Ending): Plan => [{ _tag: "ClaimRefused", task, ending }]
const refusal = { code: "no", message: "no" }
const already = refused("payment_already_used")

const presented = { payloadDigest: "digest-1", sameRequest: true, replayableUntilMillis: nowMillis + 1 }
export const found = (
  charge: Charge | undefined,
  changes: {
    readonly presented?: typeof presented
    readonly patient?: boolean
    readonly copyRefusal?: Refusal
  } = {}
): ChargeEvent => ({
  _tag: "Found",
  found: charge === undefined ? undefined : { charge, presented: changes.presented ?? presented },
  patient: changes.patient ?? true,
  nowMillis,
  copyRefusal: changes.copyRefusal
})

const replayed = { _tag: "Replay", charge: chargeIn("settled", { key: "first" }) } as const
const identified = { _tag: "Identified", first: chargeIn("settled", { key: "first" }) } as const
const repeated = { _tag: "Repeated", first: chargeIn("settled", { key: "first" }), as: "Kept" } as const

const copyRefusal: Refusal = { code: "theirs", message: "theirs" }
const theirs = refused("theirs")
const free = { leaseUntilMillis: nowMillis, exposureAtomic: "0" }
export const takeOver: Plan = [{ _tag: "TakeOver" }, ...end(pending)]
/** Of a charge without a settlement. */
export const takeOverUnsettled: Plan = [{ _tag: "TakeOver" }, ...end(inProgress)]
const findCopy = refusedUnlessCopied("nothing", own)
const findCopyOfVoided = refusedUnlessCopied("voided", own)

/** What a call finds that has waited for another one with its payment. */
const waits: ReadonlyArray<Row> = [
  ["finds nothing after a refusal", call, find, found(undefined, { copyRefusal }), end(theirs)],
  ["has its own refusal", call, findCopy, found(undefined, { copyRefusal }), end(own)],
  [
    "has its own refusal, and finds a voided charge",
    call,
    findCopyOfVoided,
    found(chargeIn("voided", free), { copyRefusal }),
    end(own)
  ],
  [
    "has its own refusal, and finds a voided charge of the refused copy",
    call,
    findCopy,
    found(chargeIn("voided", free), { copyRefusal }),
    end(theirs)
  ],
  ["was refused with it", call, find, found(chargeIn("voided", free), { copyRefusal }), end(theirs)],
  [
    "was refused with it, and is held",
    call,
    find,
    found(chargeIn("voided", { ...free, leaseUntilMillis: nowMillis + 1 }), { copyRefusal }),
    waitAndFind
  ],
  [
    "was refused before, and is settled since",
    call,
    find,
    found(chargeIn("settled"), { copyRefusal }),
    end({ _tag: "Replay", charge: chargeIn("settled") })
  ],
  [
    "was refused elsewhere, whose chain is read before it is refused again",
    call,
    find,
    found(chargeIn("voided", { ...free, exposureAtomic: "1" })),
    takeOverUnsettled
  ]
]

const keyStates = ["free", "own"] as const

export const lookups: ReadonlyArray<Row> = [
  ...waits,
  ["begins with a lookup", call, waitAndFind, { _tag: "Waited" }, find],
  ["finds nothing", call, find, found(undefined), judge("free")],
  ["still finds nothing", call, findCopy, found(undefined), end(own)],
  ["finds not even its voided charge", call, findCopyOfVoided, found(undefined), end(own)],
  [
    "finds only a voided charge",
    call,
    findCopyOfVoided,
    found(chargeIn("voided", { leaseUntilMillis: nowMillis })),
    end(own)
  ],
  [
    "finds a claim that lapsed, and takes it over",
    call,
    find,
    found(chargeIn("claimed", { leaseUntilMillis: nowMillis })),
    takeOverUnsettled
  ],
  [
    "finds one that was voided, and takes it over",
    call,
    findCopy,
    found(chargeIn("voided")),
    takeOverUnsettled
  ],
  [
    "finds one that was voided, held by another process",
    call,
    findCopyOfVoided,
    found(chargeIn("voided", { leaseUntilMillis: nowMillis + 1 })),
    waitAndFind
  ],
  ["finds one that was not voided after all", call, findCopyOfVoided, found(chargeIn("ready")), takeOver],
  [
    "finds the payment in use for another",
    call,
    find,
    found(chargeIn("ready"), { presented: { ...presented, sameRequest: false } }),
    end(already)
  ],
  [
    "finds the response",
    call,
    find,
    found(chargeIn("settled")),
    end({ _tag: "Replay", charge: chargeIn("settled") })
  ],
  [
    "finds it in work, and can't wait",
    call,
    find,
    found(chargeIn("ready", { leaseUntilMillis: nowMillis + 1 }), { patient: false }),
    end(inProgress)
  ],
  ["is refused", call, judge("free"), { _tag: "Refused", refusal }, findCopy],
  [
    "claim has the id of another payment, its key free",
    call,
    claim("free"),
    identified,
    claimRefused(replayed)
  ],
  ["verify has the id of another payment, its key free", call, verify("free"), identified, end(replayed)],
  ["verify has the id of another payment, its key own", call, verify("own"), identified, deferred(replayed)],
  ["claim has the id of another payment, its key own", call, claim("own"), identified, deferred(replayed)],
  ["judge has the id of another payment, its key free", call, judge("free"), identified, end(replayed)],
  ["judge has the id of another payment, its key own", call, judge("own"), identified, deferred(replayed)],
  ["is refused, and repeats another payment", call, judge("free"), repeated, end(repeated)],
  [
    "is refused, and repeats another payment, by its voided charge",
    call,
    judge("own"),
    repeated,
    deferred(repeated)
  ],
  ["comes when too many wait", call, judge("free"), { _tag: "Limited", patient: false }, end(limited)],
  ["is refused, with the lease", call, judge("own"), { _tag: "Refused", refusal }, refusedHeld(own)],
  ...keyStates.map((key): Row => [
    `is accepted, its key ${key}`,
    call,
    judge(key),
    { _tag: "Accepted", task },
    verify(key)
  ])
]

const claimed: ChargeEvent = { _tag: "Claimed", claimedAtMillis: nowMillis }
const invalid: ChargeEvent = { _tag: "Verified", verification: { _tag: "Invalid", reason: "no" } }
const unreachable: ChargeEvent = {
  _tag: "Verified",
  verification: { _tag: "Unreachable", reason: "timeout" }
}

export const admissions: ReadonlyArray<Row> = [
  ...keyStates.map((key): Row => [
    "that is verified",
    call,
    verify(key),
    { _tag: "Verified", verification: { _tag: "Valid", payer: undefined } },
    claim(key)
  ]),
  [
    "that one of several facilitators verified",
    call,
    verify("free"),
    {
      _tag: "Verified",
      verification: { _tag: "Valid", payer: undefined, route: { facilitator: "second", x402Version: 1 } }
    },
    [
      {
        _tag: "Claim",
        task: { ...task, request: { ...task.request, route: { facilitator: "second", x402Version: 1 } } },
        key: "free"
      }
    ]
  ],
  ["that is invalid", call, verify("free"), invalid, findCopy],
  ["that is invalid, with the lease", call, verify("own"), invalid, refusedHeld(own)],
  ["that is refused here", call, verify("free"), { _tag: "Refused", refusal }, findCopy],
  [
    "that is refused here, with the lease",
    call,
    verify("own"),
    { _tag: "Refused", refusal },
    refusedHeld(own)
  ],
  ["that can't be verified", call, verify("free"), unreachable, end(unverifiable)],
  ["that can't be verified, with the lease", call, verify("own"), unreachable, deferred(unverifiable)],
  ["that is being verified", call, verify("free"), { _tag: "Busy", patient: true }, waitAndFind],
  [
    "that is being verified for too long",
    call,
    verify("free"),
    { _tag: "Busy", patient: false },
    end(inProgress)
  ],
  ["with too many others to verify", call, verify("free"), { _tag: "Limited", patient: true }, end(limited)],
  [
    "with too many others, with the lease",
    call,
    verify("own"),
    { _tag: "Limited", patient: true },
    deferred(limited)
  ],
  ["that is claimed", call, claim("free"), claimed, [checkFunds, ...work]],
  ["that is claimed, blind", { ...call, ...blind }, claim("free"), claimed, work],
  ["that settles first", { ...call, ...workDue }, claim("free"), claimed, [checkFunds, ...settleFirst]],
  ["that settles first, blind", { ...call, ...blind, ...workDue }, claim("free"), claimed, settleFirst],
  ["that another call has claimed", call, claim("free"), found(chargeIn("ready")), takeOver],
  ...keyStates.map((key): Row => [
    "over a limit",
    call,
    claim(key),
    { _tag: "Limited", patient: true },
    [{ _tag: "Queue" }, ...claim(key)]
  ]),
  ["repeats another payment", call, claim("free"), repeated, claimRefused(repeated)],
  ["repeats another payment, and can't be paid", call, verify("free"), repeated, end(repeated)],
  [
    "that is refused as a repetition is watched, and can be bought on purpose",
    call,
    claimRefused(repeated),
    claimed,
    [
      { _tag: "Void", keepsExposure: false, isRefused: false },
      { _tag: "QueryChain", query: { _tag: "Refusal" } },
      ...rolledBack(repeated)
    ]
  ],
  [
    "that is refused as a repetition, blind",
    { ...call, ...blind },
    claimRefused(repeated),
    claimed,
    voided(false, repeated)
  ],
  [
    "that is refused as a repetition, and that another call has claimed",
    call,
    claimRefused(repeated),
    found(chargeIn("ready")),
    takeOver
  ],
  ["repeats another payment, by its voided charge", call, claim("own"), repeated, deferred(repeated)],
  ["over a limit for too long", call, claim("free"), { _tag: "Limited", patient: false }, end(limited)],
  [
    "over a limit, with the lease",
    call,
    claim("own"),
    { _tag: "Limited", patient: false },
    deferred(limited)
  ],
  ...keyStates.map((key): Row => [
    "that waited",
    call,
    [{ _tag: "Queue" }, ...claim(key)],
    { _tag: "Waited" },
    claim(key)
  ]),
  ["that is covered", call, [checkFunds, ...work], { _tag: "Funded", isCovered: true }, work],
  [
    "that is covered and settles first",
    { ...call, ...workDue },
    [checkFunds, ...settleFirst],
    { _tag: "Funded", isCovered: true },
    settleFirst
  ],
  ...([work, settleFirst] as const).map((plan): Row => [
    "that is not covered",
    call,
    [checkFunds, ...plan],
    { _tag: "Funded", isCovered: false },
    [
      { _tag: "Void", keepsExposure: false, isRefused: true },
      { _tag: "QueryChain", query: { _tag: "Refusal" } },
      ...gaveUp(refused("insufficient_funds"))
    ]
  ])
]

const onTime: ChargeEvent = { _tag: "Worked", work: product, nowSeconds: validBeforeSeconds }
const tooLate: ChargeEvent = { _tag: "Worked", work: product, nowSeconds: validBeforeSeconds + 1 }
const recordAndSettle: Plan = [
  { _tag: "Advance", work: product },
  { _tag: "Settle", first: true }
]
export const deliver: Plan = [{ _tag: "Deliver", work: product }, ...end({ _tag: "Paid", receipt })]

const [rolledBackLate, ...refusedLate] = gaveUp(refused("payment_expired"))
const voidOfLate: ChargeStep = { _tag: "Void", keepsExposure: false, isRefused: true, isUnrecorded: true }
/** Somebody else may have sent the payment while the work was done. */
const voidedLate: Plan = [
  voidOfLate,
  rolledBackLate!,
  { _tag: "QueryChain", query: { _tag: "Refusal" } },
  ...refusedLate
]

export const works: ReadonlyArray<Row> = [
  ["that failed", call, work, { _tag: "WorkFailed" }, voided(false, failed)],
  [
    "that its payment doesn't buy",
    call,
    work,
    { _tag: "WorkFailed", refusal },
    [
      { _tag: "Void", keepsExposure: false, isRefused: true },
      { _tag: "QueryChain", query: { _tag: "Refusal" } },
      ...gaveUp(refused("no"))
    ]
  ],
  [
    "that failed and was paid for",
    call,
    paidWork,
    { _tag: "WorkFailed" },
    left({ _tag: "Owed", receipt, untilMillis: paid.untilMillis })
  ],
  ["that is done", call, work, onTime, recordAndSettle],
  ["that is done too late", call, work, tooLate, voidedLate],
  [
    "that is done too late, blind",
    { ...call, ...blind },
    work,
    tooLate,
    [voidOfLate, ...gaveUp(refused("payment_expired"))]
  ],
  [
    "that is done too late, by a call that has lost its lease",
    call,
    voidedLate,
    { _tag: "Voided", voided: false },
    [{ _tag: "RollBack", whole: false }, ...find]
  ],
  ["that was paid for", call, paidWork, tooLate, deliver],
  [
    "that was paid for, on a proof to check again",
    call,
    provisionalWork,
    onTime,
    [{ _tag: "Deliver", work: product }, ...left({ _tag: "Paid", receipt })]
  ],
  [
    "that is recorded",
    call,
    recordAndSettle,
    { _tag: "Advanced", advanced: true },
    [{ _tag: "Settle", first: true }]
  ],
  [
    "whose lease another process has taken",
    call,
    recordAndSettle,
    { _tag: "Advanced", advanced: false },
    [{ _tag: "RollBack", whole: false }, ...end(inProgress)]
  ],
  [
    "that is delivered",
    call,
    deliver,
    { _tag: "Delivered", delivered: true },
    end({ _tag: "Paid", receipt })
  ],
  ["that is delivered too late", call, deliver, { _tag: "Delivered", delivered: false }, find]
]
