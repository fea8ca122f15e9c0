/** How calls are paid, for the descriptions of all operations. */
export const paymentDescription =
  "Every call is paid through the x402 protocol in a dollar stablecoin: a request without payment gets a 402 with the ways to pay."
