/*
 * States and codes in US addresses: USPS Publication 28, appendix B, "Two-letter state and possession abbreviations"
 * and "Military state abbreviations" (https://pe.usps.com/text/pub28/28apb.htm). They include the district, the
 * territories, the freely associated states (FM MH PW), and the armed forces.
 */
const names: Readonly<Record<string, string>> = {
  AL: "Alabama",
  AK: "Alaska",
  AZ: "Arizona",
  AR: "Arkansas",
  CA: "California",
  CO: "Colorado",
  CT: "Connecticut",
  DE: "Delaware",
  DC: "District of Columbia",
  FL: "Florida",
  GA: "Georgia",
  HI: "Hawaii",
  ID: "Idaho",
  IL: "Illinois",
  IN: "Indiana",
  IA: "Iowa",
  KS: "Kansas",
  KY: "Kentucky",
  LA: "Louisiana",
  ME: "Maine",
  MD: "Maryland",
  MA: "Massachusetts",
  MI: "Michigan",
  MN: "Minnesota",
  MS: "Mississippi",
  MO: "Missouri",
  MT: "Montana",
  NE: "Nebraska",
  NV: "Nevada",
  NH: "New Hampshire",
  NJ: "New Jersey",
  NM: "New Mexico",
  NY: "New York",
  NC: "North Carolina",
  ND: "North Dakota",
  OH: "Ohio",
  OK: "Oklahoma",
  OR: "Oregon",
  PA: "Pennsylvania",
  RI: "Rhode Island",
  SC: "South Carolina",
  SD: "South Dakota",
  TN: "Tennessee",
  TX: "Texas",
  UT: "Utah",
  VT: "Vermont",
  VA: "Virginia",
  WA: "Washington",
  WV: "West Virginia",
  WI: "Wisconsin",
  WY: "Wyoming",
  AS: "American Samoa",
  GU: "Guam",
  MP: "Northern Mariana Islands",
  PR: "Puerto Rico",
  VI: "Virgin Islands",
  FM: "Federated States of Micronesia",
  MH: "Marshall Islands",
  PW: "Palau",
  AA: "Armed Forces Americas",
  AE: "Armed Forces Europe",
  AP: "Armed Forces Pacific"
}

/** Every valid `state` code of a US address, in upper case. */
export const usStateCodes: ReadonlyArray<string> = Object.keys(names)

const alsoKnownAs: Readonly<Record<string, string>> = {
  "Washington DC": "DC",
  "Washington D C": "DC",
  "D C": "DC",
  "US Virgin Islands": "VI",
  "U S Virgin Islands": "VI",
  "United States Virgin Islands": "VI",
  "Commonwealth of the Northern Mariana Islands": "MP",
  Micronesia: "FM",
  "Republic of the Marshall Islands": "MH",
  "Republic of Palau": "PW",
  "Armed Forces Africa": "AE",
  "Armed Forces Canada": "AE",
  "Armed Forces Middle East": "AE"
}

/** Ignores case, accents, periods and spaces. */
const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[.,\s]+/gu, " ")
    .trim()
    .toLowerCase()

const byName: ReadonlyMap<string, string> = new Map([
  ...usStateCodes.flatMap((code): ReadonlyArray<readonly [string, string]> => [
    [fold(code), code],
    // Abbreviations with periods: N.Y.
    [fold([...code].join(".")), code],
    [fold(`US-${code}`), code],
    [fold(names[code]!), code]
  ]),
  ...Object.entries(alsoKnownAs).map(([name, code]) => [fold(name), code] as const)
])

/**
 * The two-letter code of a state, district, territory or military region, from its code in any case, its ISO 3166-2
 * code or its English name: `OR` for `or`, `NY` for `New York`, `DC` for `Washington, D.C.`. `undefined` if the text
 * names none.
 */
export const usStateOf = (text: string): string | undefined => byName.get(fold(text))

/**
 * Normalizes a ZIP code (`97201`) or ZIP+4 (`97201-1234`): removes surrounding spaces, and accepts a space, a dash or
 * nothing as the hyphen. `undefined` for other text. Doesn't check whether the code is in use; upstreams do.
 */
export const usPostalCodeOf = (text: string): string | undefined => {
  const [, zip, plus] =
    /^(\d{5})(?:(?:\s*\p{Pd}\s*|\s+)?(\d{4}))?$/u.exec(text.normalize("NFKC").trim()) ?? []
  return plus === undefined ? zip : `${zip}-${plus}`
}
