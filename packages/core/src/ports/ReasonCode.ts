/**
 * Turns text into a short word for programs and mails: `Out of stock!` → `out_of_stock`.
 *
 * @returns `refused` if the text has no letter or digit
 */
export const toReasonCode = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, 60) || "refused"
