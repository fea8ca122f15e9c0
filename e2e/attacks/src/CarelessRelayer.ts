import type { FacilitatorClient } from "@till402/core"

/** The naive relayer over HTTP: it refuses a call only if the host's function returns `undefined`. */
export const refusesUndefined = "a relayer that refuses callers by undefined alone"

/** Settles for every caller, unless `authorize` returns `undefined`. */
export const openCarelessRelayer =
  (settle: Required<FacilitatorClient>["settle"], authorize: (request: Request) => unknown) =>
  async (request: Request): Promise<Response> => {
    if (authorize(request) === undefined) return new Response(null, { status: 401 })
    const { paymentPayload, paymentRequirements } = await request.json()
    const settled = await settle(paymentPayload, paymentRequirements)
    return Response.json(settled, { status: settled.success ? 200 : 503 })
  }
