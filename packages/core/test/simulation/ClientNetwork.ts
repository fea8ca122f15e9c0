import type { InvariantChecker } from "./InvariantChecker.ts"
import type { Machine } from "./Machine.ts"
import { type Call, type Copy, headerOf, type Payment, type Reply } from "./Payment.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { baseUrl } from "./Server.ts"
import type { Timeline } from "./Timeline.ts"

const clientTimeoutMillis = 60_000

/** The payment that a request carries, and which copy of its payload. */
export interface PresentedPayment {
  readonly payment: Payment
  readonly copy: Copy
}

/** Carries HTTP requests from clients to machines and replies back, with delays and losses. */
export class ClientNetwork {
  private readonly timeline: Timeline
  private readonly random: SeededRandom
  private readonly checker: InvariantChecker
  private readonly pickMachine: () => Machine
  private readonly lossChance: () => number
  private readonly note: (actor: string, message: string) => void

  constructor(options: {
    readonly timeline: Timeline
    readonly random: SeededRandom
    readonly checker: InvariantChecker
    /** The machine that receives the next request. */
    readonly pickMachine: () => Machine
    /** Probability that a reply is lost on its way to the client. */
    readonly lossChance: () => number
    readonly note: (actor: string, message: string) => void
  }) {
    this.timeline = options.timeline
    this.random = options.random
    this.checker = options.checker
    this.pickMachine = options.pickMachine
    this.lossChance = options.lossChance
    this.note = options.note
  }

  /** Sends a request to one of the machines; resolves to `undefined` if no reply arrives. */
  request(call: Call, paid?: PresentedPayment): Promise<Reply | undefined> {
    const machine = this.pickMachine()
    const isLost = this.random.chance(this.lossChance())
    return new Promise((resolve) => {
      const receive = (reply: Reply | undefined) => {
        if (!isLost && reply?.status === 200) paid?.payment.received.add(call.name)
        resolve(isLost ? undefined : reply)
      }
      this.timeline.after(clientTimeoutMillis, () => resolve(undefined))
      this.timeline.after(this.random.between(1, 60), () => this.deliver(machine, call, paid, receive))
    })
  }

  private deliver(
    machine: Machine,
    call: Call,
    paid: PresentedPayment | undefined,
    receive: (reply: Reply | undefined) => void
  ): void {
    const { server } = machine
    if (server === undefined) return receive(undefined)
    if (server.process.isFrozen) {
      server.process.deliver(0, () => this.deliver(machine, call, paid, receive))
      return
    }
    const arrivedMillis = this.timeline.nowMillis
    if (paid !== undefined) paid.payment.presentedMillis ??= arrivedMillis
    const name = paid === undefined ? "unpaid" : `with ${paid.payment.name} (${paid.copy})`
    this.note(machine.name, `receives ${call.name}, ${name}`)
    const sendBack = (reply: Reply | undefined): void => {
      machine.requests.delete(sendBack)
      this.timeline.after(this.random.between(1, 60), () => receive(reply))
    }
    machine.requests.add(sendBack)
    server.handle(requestOf(call, paid), (reply) => {
      this.note(machine.name, `responds ${name}: ${reply.status} ${reply.text.slice(0, 90)}`)
      if (reply.status === 500) this.checker.violation(paid?.payment, `got a 500 response: ${reply.text}`)
      if (paid !== undefined) this.checker.responseSent(paid.payment, { ...paid, call, arrivedMillis }, reply)
      sendBack(reply)
    })
  }
}

const requestOf = (call: Call, paid: PresentedPayment | undefined): Request => {
  const headers: Record<string, string> = { "content-type": "application/json" }
  if (paid !== undefined) headers["payment-signature"] = headerOf(paid.payment, paid.copy)
  return new Request(
    baseUrl + call.path,
    call.body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(call.body) }
  )
}
