export { payingFetch } from "@till402/testing/payer"
