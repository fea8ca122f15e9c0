import type { Visitor } from "./Access.ts"
import type { LiveCall, LiveCalls } from "./LiveCalls.ts"
import { liveRow, stripCounts } from "./pages/live.ts"

const maxStreams = 50
/** Pages that one visitor may have open. */
const maxOfVisitor = 8
/** Visitors who only look leave room for those who act. */
const maxOfReaders = 40
const maxWaiting = 200
const heartbeatMillis = 15_000
/** Then the browser connects again, and `authorize` decides again. */
const lifeMillis = 5 * 60_000

/** Who opens a page. */
export interface Viewer {
  readonly visitor: Visitor
  /** The token of the browser's cookie, which tells visitors without a name apart. */
  readonly token: string | undefined
}

interface Stream {
  readonly key: string
  readonly role: Visitor["role"]
}

/** The open pages of one console, bounded. */
export class LiveStreams {
  private readonly open = new Map<() => void, Stream>()
  private readonly calls: LiveCalls
  private readonly base: string
  private readonly now: () => Date

  constructor(calls: LiveCalls, base: string, now: () => Date) {
    this.calls = calls
    this.base = base
    this.now = now
  }

  /** Ends all streams. */
  close(): void {
    for (const end of this.open.keys()) end()
  }

  private hasRoom({ key, role }: Stream): boolean {
    const streams = [...this.open.values()]
    return (
      streams.length < maxStreams &&
      streams.filter((other) => other.key === key).length < maxOfVisitor &&
      (role === "admin" || streams.filter((other) => other.role === "read").length < maxOfReaders)
    )
  }

  /**
   * Server-sent events: each call as it begins or changes, for five minutes. `undefined`: too many are open.
   *
   * @param lastId the last event that a browser has which connects again: it gets what it missed
   */
  start({ token = "", visitor: { name, role } }: Viewer, lastId?: string): Response | undefined {
    const stream: Stream = { key: JSON.stringify([role, name ?? token]), role }
    if (!this.hasRoom(stream)) return undefined
    const { calls, open } = this
    let end = (): void => undefined
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const send = (text: string): void => {
            // A reader that is too slow misses calls: its next load of the page has them.
            if ((controller.desiredSize ?? 0) > -maxWaiting) controller.enqueue(encoder.encode(text))
          }
          const sendCall = (call: LiveCall): void =>
            send(`id: ${call.version}\nevent: call\ndata: ${this.dataOf(call)}\n\n`)
          send("retry: 2000\n\n")
          if (/^\d{1,15}$/.test(lastId ?? "")) calls.since(Number(lastId)).forEach(sendCall)
          const heartbeat = setInterval(() => send(": alive\n\n"), heartbeatMillis)
          const life = setTimeout(() => end(), lifeMillis)
          const unlisten = calls.listen(sendCall)
          end = () => {
            if (!open.delete(end)) return
            clearInterval(heartbeat)
            clearTimeout(life)
            unlisten()
            try {
              controller.close()
            } catch {
              // The reader has gone already.
            }
          }
          open.set(end, stream)
        },
        cancel: () => end()
      },
      new CountQueuingStrategy({ highWaterMark: 1 })
    )
    return new Response(body, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" }
    })
  }

  private dataOf(call: LiveCall): string {
    return JSON.stringify({
      html: String(liveRow(call, this.base, this.now())),
      counts: stripCounts(this.calls.counts)
    })
  }
}
