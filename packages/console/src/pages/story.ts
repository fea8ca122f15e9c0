import type { ChargeSummary, PaymentEvent } from "@till402/core"
import { html } from "hono/html"
import type { LiveCall } from "../LiveCalls.ts"
import { chargeState, dollars, networkName, payerOfKey, words } from "../text.ts"
import { badge, code, type Html, time, type Tone } from "./layout.ts"

/*
 * The life of a payment in six steps, in the words of the documents.
 */

export const stepNames = ["Request", "402", "Verification", "Work", "Settlement", "Response"] as const

type StepState = "done" | "failed" | "open" | "skipped"

/** The state of each step. */
type Steps = readonly [StepState, StepState, StepState, StepState, StepState, StepState]

const steps = (...states: Steps): Steps => states

/** Reasons for which a payment isn't verified, though the call didn't end with a 402. */
const beforeWork = new Set(["unverifiable", "limited", "repeated", "VALIDATION_ERROR", "in_progress"])

/** A refunded order has had its response; a refunded call has not. */
const refundSteps = (isAnswered: boolean): Steps =>
  steps("done", "done", "done", "done", "done", isAnswered ? "done" : "skipped")

/** The outcome of a call in one word, and how it looks. */
export interface Outcome {
  readonly tone: Tone
  readonly text: string
  readonly steps: Steps
  readonly reason: string | undefined
}

const outcomeOfEvent = ({ code, reason }: PaymentEvent, isSettled: boolean, isAnswered: boolean): Outcome => {
  const settled = isSettled ? "done" : "open"
  switch (code) {
    case "payment_required":
      return {
        tone: "quiet",
        text: "402 sent",
        steps: steps("done", "done", "open", "open", "open", "open"),
        reason
      }
    case "payment_paid":
      return {
        tone: "good",
        text: "Paid",
        steps: steps("done", "done", "done", "done", "done", "done"),
        reason
      }
    case "payment_replayed":
      return {
        tone: "good",
        text: "Replayed",
        steps: steps("done", "done", "done", "done", "done", "done"),
        reason
      }
    case "payment_settled":
      return {
        tone: "info",
        text: "Settled",
        steps: steps("done", "done", "done", "done", "done", "open"),
        reason
      }
    case "payment_refunded":
      return {
        tone: "warn",
        text: "Refunded",
        steps: refundSteps(isAnswered),
        reason
      }
    case "payment_refused":
      return {
        tone: "bad",
        text: "Refused",
        steps: steps("done", "done", "failed", "skipped", "skipped", "skipped"),
        reason
      }
    case "payment_failed":
      return beforeWork.has(reason ?? "")
        ? {
            tone: "bad",
            text: "Failed",
            steps: steps("done", "done", "failed", "skipped", "skipped", "skipped"),
            reason
          }
        : reason === "unknown"
          ? {
              tone: "warn",
              text: "Unknown",
              steps: steps("done", "done", "done", "done", "open", "open"),
              reason
            }
          : {
              tone: "bad",
              text: "Failed",
              steps: steps("done", "done", "done", "failed", isSettled ? settled : "skipped", "skipped"),
              reason
            }
  }
}

/** The outcome of a call by its last event. */
export const outcomeOfCall = ({ events }: LiveCall): Outcome =>
  outcomeOfEvent(
    events.at(-1)!,
    events.some(({ code }) => code === "payment_settled"),
    wasAnswered(events)
  )

const wasAnswered = (events: LiveCall["events"]): boolean =>
  events.some(({ code }) => code === "payment_paid" || code === "payment_replayed")

/**
 * The outcome of a charge and of its call. A call that ended without knowing says less than the charge, which another
 * process may have settled since.
 */
export const outcomeOf = (
  charge: ChargeSummary | undefined,
  call: LiveCall | undefined
): Outcome | undefined => {
  const live = call === undefined ? undefined : outcomeOfCall(call)
  if (charge === undefined) return live
  const isOver = charge.refund !== undefined || (live?.text === "Unknown" && charge.state !== "ready")
  return live === undefined || isOver ? outcomeOfCharge(charge, wasAnswered(call?.events ?? [])) : live
}

type Look = Pick<Outcome, "tone" | "steps">

const looks: Readonly<Record<ChargeSummary["state"], Look>> = {
  claimed: { tone: "info", steps: steps("done", "done", "done", "open", "open", "open") },
  ready: { tone: "info", steps: steps("done", "done", "done", "done", "open", "open") },
  settled: { tone: "good", steps: steps("done", "done", "done", "done", "done", "done") },
  voided: { tone: "quiet", steps: steps("done", "done", "failed", "skipped", "skipped", "skipped") }
}

/**
 * The outcome of a stored charge, which no event of this process tells.
 *
 * @param isAnswered whether the caller of a charge with a refund got its response
 */
export const outcomeOfCharge = (charge: ChargeSummary, isAnswered = false): Outcome => {
  const refunded: Look = { tone: "warn", steps: refundSteps(isAnswered) }
  const { tone, steps } = charge.refund === undefined ? looks[charge.state] : refunded
  return { tone, steps, text: chargeState(charge), reason: undefined }
}

export const outcomeBadge = ({ text, tone }: Outcome): Html => badge(tone, text)

/** The steps as six dots, for a row. */
export const stepDots = ({ steps: states }: Outcome): Html =>
  html`<span
    class="dots"
    role="img"
    aria-label="${states.filter((state) => state === "done").length} of 6 steps"
    >${states.map((state, index) => html`<i class="${state}" title="${stepNames[index]}"></i>`)}</span
  >`

interface StoryStep {
  readonly name: (typeof stepNames)[number]
  readonly state: StepState
  readonly text: Html | string
  readonly at?: Date | undefined
  /** The state in a word, where `stateText` has another. */
  readonly label?: string | undefined
}

const refusedText = (reason: string | undefined): Html =>
  html`Refused: <code>${reason ?? "refused"}</code>. Nothing was charged, and the caller got another 402.`

/** The facts of a call, by its events and its charge. */
interface StoryFacts {
  readonly call: LiveCall | undefined
  readonly charge: ChargeSummary | undefined
  readonly outcome: Outcome
}

const eventOf = (
  call: LiveCall | undefined,
  ...codes: ReadonlyArray<PaymentEvent["code"]>
): PaymentEvent | undefined => call?.events.findLast(({ code }) => codes.includes(code))

const verificationText = ({ charge, outcome }: StoryFacts): Html | string => {
  const [, , state] = outcome.steps
  if (state === "failed" && outcome.text === "Not charged")
    return "The payment was refused, or its work failed: it bought nothing. It is watched until it can't move any more."
  if (state === "failed")
    return outcome.text === "Refused" ? refusedText(outcome.reason) : failedText(outcome.reason)
  if (state === "open") return "Waits for a payment."
  return html`Offer, payee, amount, validity and signature are right, and the facilitator verified it.
  ${charge === undefined ? "" : "Then the charge was claimed, so that no copy of the payment buys it twice."}`
}

const failedText = (reason: string | undefined): Html =>
  html`Failed: <code>${reason ?? "failed"}</code>. The same payment can be sent again.`

const workText = ({ outcome }: StoryFacts): Html | string => {
  const [, , , state] = outcome.steps
  if (state === "failed") return failedText(outcome.reason)
  if (state === "open") return "The route does its work, and its response is recorded."
  if (state === "skipped") return "Not begun."
  return "The route did its work, and its response was recorded."
}

const attemptsText = (attempts: number): string =>
  attempts === 1 ? "One attempt has failed." : `${attempts} attempts have failed.`

const settlementText = ({ call, charge, outcome }: StoryFacts): Html | string => {
  const settled = eventOf(call, "payment_settled")
  const transaction = charge?.transaction ?? settled?.transaction
  if (transaction === undefined) {
    if (outcome.steps[4] === "skipped") return "No money moved."
    if (charge?.state !== "ready" || charge.attempts === 0) return "Not settled yet."
    return `It isn't known yet whether the money moved. The till looks it up by itself, until the chain shows the transfer, or that the payment can't move any more. ${attemptsText(charge.attempts)} If it goes on, see on the page Health whether the facilitator and the node answer. The process's events have the reason.`
  }
  const network = charge?.network ?? settled?.network
  const proof =
    charge === undefined
      ? ""
      : charge.reportedBy === undefined
        ? "The chain shows its transfer, or will be read for it."
        : html`Reported by the facilitator <code>${charge.reportedBy}</code>.`
  return html`The money moved on ${network === undefined ? "the chain" : networkName(network)} in transaction
  ${code(transaction)}. ${proof}`
}

const responseText = ({ call, charge, outcome }: StoryFacts): Html | string => {
  const answered = outcome.steps[5] === "done" ? "The caller got the response. " : ""
  if (charge?.refund === "due") return `${answered}The refund of this payment is due.`
  if (charge?.refund === "sent" || outcome.text === "Refunded") return `${answered}The payment was refunded.`
  const replays = call?.events.filter(({ code }) => code === "payment_replayed").length ?? 0
  const again =
    replays === 0 ? "" : ` The same payment got it again ${replays === 1 ? "once" : `${replays} times`}.`
  if (outcome.steps[5] === "done") return `The caller got the response, with a receipt.${again}`
  return outcome.steps[5] === "skipped" ? "None was sold." : "Not sent by this process yet."
}

/** The six steps with what is known of each. */
export const storySteps = (facts: StoryFacts): ReadonlyArray<StoryStep> => {
  const { call, charge, outcome } = facts
  const [request, challenge, verification, work, settlement, response] = outcome.steps
  const operation = charge?.operation ?? call!.operation
  const first = call?.events[0]
  const ended = eventOf(call, "payment_paid", "payment_replayed", "payment_refused", "payment_failed")
  const amount =
    charge?.amountAtomic ?? call?.events.find(({ amountAtomic }) => amountAtomic !== undefined)?.amountAtomic
  const price = amount === undefined ? "" : ` ${dollars(amount)}`
  const settledAt = charge?.settledAt ?? eventOf(call, "payment_settled")?.at
  return [
    {
      name: "Request",
      state: request,
      text: html`A program called <strong>${words(operation)}</strong>.`,
      at: charge?.createdAt ?? first?.at
    },
    {
      name: "402",
      state: challenge,
      text: `Without a payment, the response is 402 Payment Required with the price${price === "" ? "" : `:${price}`}.`,
      at: eventOf(call, "payment_required")?.at
    },
    { name: "Verification", state: verification, text: verificationText(facts), at: charge?.createdAt },
    { name: "Work", state: work, text: workText(facts) },
    { name: "Settlement", state: settlement, text: settlementText(facts), at: settledAt },
    {
      name: "Response",
      state: response,
      // Without this process's events, a refund doesn't tell whether the caller got a response.
      label: response === "skipped" && charge?.refund !== undefined ? outcome.text.toLowerCase() : undefined,
      text: responseText(facts),
      at: outcome.steps[5] === "done" ? ended?.at : eventOf(call, "payment_refunded")?.at
    }
  ]
}

const stateText: Readonly<Record<StepState, string>> = {
  done: "done",
  failed: "failed",
  open: "waiting",
  skipped: "not reached"
}

/** The life of one payment, step by step. */
export const story = (facts: StoryFacts): Html =>
  html`<ol class="story">
    ${storySteps(facts).map(
      ({ at, label = "", name, state, text }) =>
        html`<li class="${state}">
          <h3>${name} <span class="state">${label === "" ? stateText[state] : label}</span></h3>
          <p>${text}</p>
          ${at === undefined ? "" : html`<p class="at">${time(at)} UTC</p>`}
        </li>`
    )}
  </ol>`

/** The payer's wallet, which the charge's key has. */
export const payerOf = (call: LiveCall): string | undefined =>
  call.chargeKey === undefined ? undefined : payerOfKey(call.chargeKey)
