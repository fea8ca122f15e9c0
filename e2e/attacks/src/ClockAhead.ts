import { setTimeout as sleep } from "node:timers/promises"
import { onTestFinished, vi } from "vitest"

/** Awaits calls that wait for room, while the clock of this process runs ahead until the end of the test. */
export const clockAhead = async <A>(awaited: Promise<A>): Promise<A> => {
  if (!vi.isFakeTimers()) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
    onTestFinished(() => void vi.useRealTimers())
  }
  const running = new Set([awaited])
  const end = () => running.delete(awaited)
  awaited.then(end, end)
  while (running.size > 0) {
    vi.setSystemTime(Date.now() + 1_000)
    await sleep(20)
  }
  return awaited
}
