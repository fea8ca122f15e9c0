import type { Counts, FacilitatorOptions } from "./facilitatorServer.ts"
import { startWorker } from "./processes.ts"

/** A facilitator in a process of its own, over HTTP. */
export const startFacilitator = async (options: FacilitatorOptions) => {
  const { ready: url, stop } = await startWorker<FacilitatorOptions, never, string>(
    "facilitatorServer.ts",
    options
  )
  return {
    url,
    counts: async (): Promise<Counts> => (await (await fetch(`${url}/counts`)).json()) as Counts,
    stop
  }
}
