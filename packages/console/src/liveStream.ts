import { liveRow, stripCounts } from "./pages/live.ts"
import type { LiveCall, LiveCalls } from "./LiveCalls.ts"

const maxStreams = 50
const maxWaiting = 200
const heartbeatMillis = 15_000

/** The open pages of one console, bounded. */
export class LiveStreams {
  private readonly open = new Set<() => void>()
  private readonly calls: LiveCalls
  private readonly base: string

  constructor(calls: LiveCalls, base: string) {
    this.calls = calls
    this.base = base
  }

  /** Ends all streams. */
  close(): void {
    for (const end of this.open) end()
  }

  /** Server-sent events: each call as it begins or changes. `undefined`: too many are open. */
  start(): Response | undefined {
    if (this.open.size >= maxStreams) return undefined
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
          send("retry: 2000\n\n")
          const heartbeat = setInterval(() => send(": alive\n\n"), heartbeatMillis)
          const unlisten = calls.listen((call) => send(`event: call\ndata: ${this.dataOf(call)}\n\n`))
          end = () => {
            if (!open.delete(end)) return
            clearInterval(heartbeat)
            unlisten()
            try {
              controller.close()
            } catch {
              // The reader has gone already.
            }
          }
          open.add(end)
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
      html: String(liveRow(call, this.base, new Date())),
      counts: stripCounts(this.calls.counts)
    })
  }
}
