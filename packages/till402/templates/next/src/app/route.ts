export const GET = (): Response => new Response("A shop of my own. Agents pay per call under /x402.")
