/** The frameworks that `till402 init` makes an app for. */
export const frameworks = ["express", "fastify", "hono", "koa", "next", "effect"] as const

export type Framework = (typeof frameworks)[number]
