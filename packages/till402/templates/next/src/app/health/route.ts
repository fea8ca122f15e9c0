export const GET = (): Response => Response.json({ ok: true })
