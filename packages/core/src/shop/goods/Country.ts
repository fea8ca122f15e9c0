import { Schema, SchemaTransformation } from "effect"

/*
 * The 249 officially assigned alpha-2 codes of ISO 3166-1, which the ISO 3166 Maintenance Agency lists at
 * https://www.iso.org/obp/ui/#search/code/. Two independent copies agree on them: the tz database's
 * iso3166.tab (ISO/TC 46 N1108, 2023-04-05) and Debian's iso-codes. Reserved codes (UK, EU) and those left to
 * users (XK, ZZ) are not assigned.
 */
const assigned: ReadonlySet<string> = new Set(
  [
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ",
    "BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ",
    "CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ",
    "DE DJ DK DM DO DZ",
    "EC EE EG EH ER ES ET",
    "FI FJ FK FM FO FR",
    "GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY",
    "HK HM HN HR HT HU",
    "ID IE IL IM IN IO IQ IR IS IT",
    "JE JM JO JP",
    "KE KG KH KI KM KN KP KR KW KY KZ",
    "LA LB LC LI LK LR LS LT LU LV LY",
    "MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ",
    "NA NC NE NF NG NI NL NO NP NR NU NZ",
    "OM",
    "PA PE PF PG PH PK PL PM PN PR PS PT PW PY",
    "QA",
    "RE RO RS RU RW",
    "SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ",
    "TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ",
    "UA UG UM US UY UZ",
    "VA VC VE VG VI VN VU",
    "WF WS",
    "YE YT",
    "ZA ZM ZW"
  ].flatMap((row) => row.split(" "))
)

/** Every assigned ISO 3166-1 alpha-2 code, in upper case and alphabetical order. */
export const countryCodes: ReadonlyArray<string> = [...assigned]

/** Codes that are often mistaken for assigned ones, and the correct ones. */
const intended: Readonly<Record<string, string>> = { UK: "GB", EL: "GR" }

const faultOf = (code: string): string | undefined => {
  const upper = code.toUpperCase()
  if (assigned.has(upper)) return undefined
  const right = Object.hasOwn(intended, upper) ? intended[upper] : undefined
  return right === undefined
    ? "must be an assigned ISO 3166-1 alpha-2 country code, such as US"
    : `must be an assigned ISO 3166-1 alpha-2 country code: send ${right}`
}

/** A country that exists: an assigned ISO 3166-1 alpha-2 code in either case, in upper case once decoded. */
export const Country = Schema.String.pipe(
  Schema.check(
    // Don't report a malformed code as unassigned, too.
    Schema.isPattern(/^[A-Za-z]{2}$/u, {
      message: "must be a two-letter ISO 3166-1 alpha-2 country code"
    }).abort(),
    Schema.makeFilter((code: string) => faultOf(code) ?? true, { toJsonSchema: () => ({}) })
  ),
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (code: string) => code.toUpperCase(), encode: (code) => code })
  )
)
