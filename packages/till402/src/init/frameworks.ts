/** The frameworks that `till402 init` makes an app for. */
export const frameworks = ["express", "hono", "koa"] as const

export type Framework = (typeof frameworks)[number]
