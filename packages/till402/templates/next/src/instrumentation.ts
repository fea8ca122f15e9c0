/** Starts the till with the server: its background work doesn't wait for the first call. */
export const register = async (): Promise<void> => {
  // Next also makes a bundle for its edge runtime, where no till can run.
  if (process.env.NEXT_RUNTIME !== "nodejs") return
  const { till } = await import("./till.ts")
  await till()
}
