/*
 * Sales tax and VAT in thousandths of a percent: 7.25 % is 7250. Basis points are too coarse, since New
 * Jersey has 6.625 % and Quebec 14.975 %. US rates exclude county and city taxes.
 */
const usStates = `
  AL Alabama 4000; AK Alaska 0; AZ Arizona 5600; AR Arkansas 6500; CA California 7250; CO Colorado 2900
  CT Connecticut 6350; DE Delaware 0; DC District of Columbia 6000; FL Florida 6000; GA Georgia 4000
  HI Hawaii 4000; ID Idaho 6000; IL Illinois 6250; IN Indiana 7000; IA Iowa 6000; KS Kansas 6500
  KY Kentucky 6000; LA Louisiana 5000; ME Maine 5500; MD Maryland 6000; MA Massachusetts 6250
  MI Michigan 6000; MN Minnesota 6875; MS Mississippi 7000; MO Missouri 4225; MT Montana 0
  NE Nebraska 5500; NV Nevada 6850; NH New Hampshire 0; NJ New Jersey 6625; NM New Mexico 4875
  NY New York 4000; NC North Carolina 4750; ND North Dakota 5000; OH Ohio 5750; OK Oklahoma 4500
  OR Oregon 0; PA Pennsylvania 6000; PR Puerto Rico 10500; RI Rhode Island 7000; SC South Carolina 6000
  SD South Dakota 4200; TN Tennessee 7000; TX Texas 6250; UT Utah 4850; VT Vermont 6000; VA Virginia 4300
  WA Washington 6500; WV West Virginia 6000; WI Wisconsin 5000; WY Wyoming 4000`

/** GST with the province's own tax, or HST. */
const canadianProvinces = `
  AB Alberta 5000; BC British Columbia 12000; MB Manitoba 12000; NB New Brunswick 15000
  NL Newfoundland and Labrador 15000; NS Nova Scotia 14000; NT Northwest Territories 5000; NU Nunavut 5000
  ON Ontario 13000; PE Prince Edward Island 15000; QC Quebec 14975; SK Saskatchewan 11000; YT Yukon 5000`

/** A state or province of a country whose tax depends on it. */
export interface Region {
  readonly code: string
  /** Thousandths of a percent. */
  readonly taxRate: bigint
}

const plain = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[^A-Za-z]/g, "")
    .toUpperCase()

/** Regions by code and by name, so that `NY`, `New York` and `new york` are equal. */
const regions = (table: string): ReadonlyMap<string, Region> =>
  new Map(
    table.match(/[A-Z]{2} [A-Za-z ]+? \d+/g)!.flatMap((entry) => {
      const [, code, name, rate] = /^([A-Z]{2}) (.+) (\d+)$/.exec(entry)!
      const region = { code: code!, taxRate: BigInt(rate!) }
      return [[code!, region] as const, [plain(name!), region] as const]
    })
  )

const regionsOf: Readonly<Record<string, ReadonlyMap<string, Region>>> = {
  US: regions(usStates),
  CA: regions(canadianProvinces)
}

/** VAT or GST of the other countries that are served. */
const countryRates: Readonly<Record<string, bigint>> = {
  AU: 10_000n,
  DE: 19_000n,
  ES: 21_000n,
  FR: 20_000n,
  GB: 20_000n,
  IE: 23_000n,
  IT: 22_000n,
  JP: 10_000n,
  NL: 21_000n
}

/** Countries to which the sample shop delivers, ISO 3166-1 alpha-2. */
export const servedCountries: ReadonlyArray<string> = ["US", "CA", ...Object.keys(countryRates)]

/**
 * The region whose tax applies: a US state or Canadian province by code or name, otherwise the whole country.
 * `undefined` for an unknown state.
 */
export const regionOf = (country: string, state: string): Region | undefined => {
  const byName = regionsOf[country]
  if (byName !== undefined) return byName.get(plain(state))
  const taxRate = countryRates[country]
  return taxRate === undefined ? undefined : { code: country, taxRate }
}

/** Tax on an amount in cents, rounded half up to the cent. */
export const taxCents = (amountCents: bigint, taxRate: bigint): bigint =>
  (amountCents * taxRate + 50_000n) / 100_000n
