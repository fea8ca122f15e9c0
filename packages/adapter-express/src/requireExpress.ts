/** @throws TypeError where another framework calls a middleware of Express */
export const requireExpress = ({ originalUrl }: { readonly originalUrl?: unknown }, next: unknown): void => {
  if (typeof next !== "function" || typeof originalUrl !== "string")
    throw new TypeError(
      "@till402/express is for Express, and another framework has called it: use @till402/fastify, @till402/hono or @till402/koa"
    )
}
