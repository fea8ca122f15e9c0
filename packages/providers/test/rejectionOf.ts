/** The error of a call that must be rejected. */
export const rejectionOf = async (
  call: Promise<unknown>
): Promise<{ _tag: string; [field: string]: unknown }> => {
  try {
    await call
  } catch (error) {
    return error as { _tag: string }
  }
  throw new Error("the call should have been rejected")
}
