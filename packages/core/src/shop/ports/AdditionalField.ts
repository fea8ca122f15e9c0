/** Query parameters of a lookup that a carrier may need. */
export const additionalFields = [
  "destinationPostalCode",
  "destinationCountry",
  "shipDate",
  "phone",
  "cpfOrCnpj"
] as const
