import { fedexExpress, gs1, mod37, mod7, ontrac, ups } from "./CheckDigits.ts"

/** How reliably a format identifies its carrier, most reliable first. */
export type Likelihood = "distinctive" | "checked" | "plausible"

/** A format of tracking numbers, in capitals and without hyphens. */
export interface NumberFormat {
  readonly name: string
  readonly pattern: RegExp
  /** Carriers that use it, likeliest first; codes of the bundled lists. */
  readonly carriers: ReadonlyArray<number>
  /**
   * `distinctive`: hardly any other carrier has such numbers. `checked`: only the check digit identifies it,
   * so about one in ten of other carriers' numbers passes. `plausible`: only length and characters.
   */
  readonly likelihood: Likelihood
  /** Whether the check digit is right; omitted for formats without one. */
  readonly isValid?: (number: string) => boolean
}

/** Compares the last character with a rule's result for the characters from `start`. */
const endsWith =
  (rule: (payload: string) => string, start = 0) =>
  (number: string): boolean =>
    rule(number.slice(start, -1)) === number.at(-1)

/** Compares the last character with a rule's result for the `length` characters before it. */
const lastOnes =
  (length: number, rule: (payload: string) => string) =>
  (number: string): boolean =>
    rule(number.slice(-length - 1, -1)) === number.at(-1)

const FEDEX = 100003
const USPS = 21051
const DPD = [100007, 100010, 100072, 100111, 100321] as const

const american: ReadonlyArray<NumberFormat> = [
  {
    name: "UPS 1Z",
    pattern: /^1Z[0-9A-Z]{15}[0-9]$/,
    carriers: [100002],
    likelihood: "distinctive",
    isValid: endsWith(ups, 2)
  },
  {
    name: "FedEx Ground 96",
    pattern: /^96\d{20}$/,
    carriers: [FEDEX],
    likelihood: "distinctive",
    isValid: lastOnes(14, gs1)
  },
  {
    name: "FedEx GSN",
    pattern: /^96\d{32}$/,
    carriers: [FEDEX],
    likelihood: "distinctive",
    isValid: lastOnes(13, fedexExpress)
  },
  {
    name: "FedEx Express, whole barcode",
    pattern: /^100\d{31}$/,
    carriers: [FEDEX],
    likelihood: "distinctive",
    isValid: lastOnes(13, fedexExpress)
  },
  { name: "FedEx door tag", pattern: /^DT\d{12}$/, carriers: [FEDEX], likelihood: "distinctive" },
  {
    name: "FedEx SmartPost",
    pattern: /^926129\d{16}$/,
    carriers: [FEDEX, USPS],
    likelihood: "distinctive",
    isValid: endsWith(gs1)
  },
  {
    name: "FedEx SmartPost without its application identifier",
    pattern: /^6129\d{16}$/,
    carriers: [FEDEX],
    likelihood: "distinctive",
    isValid: (number) => endsWith(gs1)(`92${number}`)
  },
  {
    name: "USPS Intelligent Mail package barcode",
    pattern: /^(?:420\d{5}(?:\d{4})?)?9[1-5]\d{20}(?:\d{4})?$/,
    carriers: [USPS, 7047, FEDEX],
    likelihood: "distinctive",
    isValid: (number) => endsWith(gs1)(number.replace(/^420\d{5}(?:\d{4})?(?=9[1-5]\d{20}(?:\d{4})?$)/, ""))
  },
  {
    name: "USPS, 20 digits",
    pattern: /^(?:03|23|7\d|81)\d{18}$/,
    carriers: [USPS],
    likelihood: "distinctive",
    isValid: (number) => endsWith(gs1)(number) || endsWith(gs1)(`91${number}`)
  },
  { name: "DHL eCommerce", pattern: /^GM\d{16,38}$/, carriers: [7047, 7048], likelihood: "distinctive" },
  {
    name: "OnTrac",
    pattern: /^[CD]\d{14}$/,
    carriers: [100049],
    likelihood: "distinctive",
    isValid: (number) => endsWith(ontrac)((number.startsWith("C") ? "4" : "5") + number.slice(1))
  },
  {
    name: "LaserShip",
    pattern: /^(?:L[A-Z]\d{8}|1LS\d{12,15})$/,
    carriers: [100052, 100049],
    likelihood: "distinctive"
  },
  { name: "Amazon", pattern: /^TB[A-Z]\d{12}$/, carriers: [100308, 100309], likelihood: "distinctive" },
  { name: "UniUni", pattern: /^UU[A-Z0-9]{12,20}$/, carriers: [100134], likelihood: "distinctive" },
  { name: "Purolator", pattern: /^[A-Z]{3}\d{9}$/, carriers: [100042], likelihood: "plausible" },
  {
    name: "Canada Post",
    pattern: /^\d{16}$/,
    carriers: [3041],
    likelihood: "checked",
    isValid: endsWith(gs1)
  },
  {
    name: "FedEx Express",
    pattern: /^\d{12}$/,
    carriers: [FEDEX],
    likelihood: "checked",
    isValid: endsWith(fedexExpress)
  },
  {
    name: "FedEx Ground",
    pattern: /^\d{15}$/,
    carriers: [FEDEX],
    likelihood: "checked",
    isValid: endsWith(gs1)
  },
  {
    name: "FedEx Ground SSCC",
    pattern: /^\d{18}$/,
    carriers: [FEDEX],
    likelihood: "checked",
    isValid: endsWith(gs1)
  }
]

const european: ReadonlyArray<NumberFormat> = [
  {
    name: "DHL Express waybill",
    pattern: /^\d{10}$/,
    carriers: [100001],
    likelihood: "checked",
    isValid: endsWith(mod7)
  },
  {
    name: "DHL Express piece",
    pattern: /^JV[A-Z]{2}\d{10,16}$/,
    carriers: [100001],
    likelihood: "distinctive"
  },
  {
    name: "DHL licence plate",
    pattern: /^JJ?D\d{10,20}$/,
    carriers: [7041, 100001, 100047, 100152],
    likelihood: "distinctive"
  },
  {
    name: "DHL Paket",
    pattern: /^003404\d{14}$/,
    carriers: [7041],
    likelihood: "distinctive",
    isValid: endsWith(gs1)
  },
  {
    name: "Dutch 3S barcode",
    pattern: /^3S[A-Z0-9]{9,17}$/,
    carriers: [14041, 100047],
    likelihood: "distinctive"
  },
  {
    name: "DPD label",
    pattern: /^\d{27}[0-9A-Z]$/,
    carriers: DPD,
    likelihood: "distinctive",
    isValid: endsWith(mod37)
  },
  { name: "DPD parcel", pattern: /^\d{14}$/, carriers: DPD, likelihood: "plausible" },
  { name: "TNT", pattern: /^G[A-Z]\d{9}WW$/, carriers: [100004], likelihood: "distinctive" },
  { name: "GLS", pattern: /^\d{11,12}$/, carriers: [100005, 101070], likelihood: "plausible" },
  { name: "Hermes", pattern: /^H\d{19}$/, carriers: [100031, 100018], likelihood: "distinctive" },
  {
    name: "Colissimo",
    pattern: /^(?:\d[A-Z]|[A-Z]\d)\d{11}$/,
    carriers: [6051],
    likelihood: "plausible"
  },
  { name: "Chronopost", pattern: /^X[A-Z]\d{9}[A-Z]{2}$/, carriers: [100273], likelihood: "plausible" },
  { name: "Correos", pattern: /^P[A-Z0-9]{22}$/, carriers: [19181], likelihood: "distinctive" },
  { name: "InPost", pattern: /^\d{24}$/, carriers: [100043], likelihood: "plausible" },
  { name: "Packeta", pattern: /^Z\d{10}$/, carriers: [100132], likelihood: "distinctive" },
  { name: "Nova Poshta", pattern: /^(?:20|59)\d{12}$/, carriers: [100035], likelihood: "plausible" },
  { name: "Russian Post, inland", pattern: /^\d{14}$/, carriers: [18031], likelihood: "plausible" }
]

const asian: ReadonlyArray<NumberFormat> = [
  {
    name: "SF Express",
    pattern: /^SF\d{12,13}$/,
    carriers: [100012, 190766],
    likelihood: "distinctive"
  },
  { name: "YunExpress", pattern: /^YT\d{16}$/, carriers: [190008], likelihood: "distinctive" },
  { name: "Yanwen", pattern: /^[A-Z]{2}\d{9}YP$/, carriers: [190012], likelihood: "distinctive" },
  { name: "Sunyou", pattern: /^SY[A-Z]{1,3}\d{9,13}$/, carriers: [190072], likelihood: "distinctive" },
  {
    name: "Cainiao",
    pattern: /^(?:LP\d{14}|CN[A-Z]{2,4}\d{8,20})$/,
    carriers: [190271],
    likelihood: "distinctive"
  },
  {
    name: "Japanese parcel",
    pattern: /^\d{12}$/,
    carriers: [100062, 100040, 10021],
    likelihood: "checked",
    isValid: endsWith(mod7)
  }
]

/** The known formats, except the S10 numbers of the postal operators. */
export const numberFormats: ReadonlyArray<NumberFormat> = [...american, ...european, ...asian]
