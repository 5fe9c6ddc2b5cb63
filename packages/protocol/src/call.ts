import type { ParamName, PathParams } from './route.ts'
import type { RouteOf } from './registry.ts'

/** A query parameter: lists are joined by commas, dates are ISO 8601, undefined and null are left out. */
export type QueryValue = QueryScalar | readonly QueryScalar[]

type QueryScalar = string | number | boolean | bigint | Date | null | undefined

/** The `params` of a route, required where its path has some. */
export type ParamsOption<R extends string> = string extends R
  ? { params?: PathParams<string> | undefined }
  : [ParamName<R>] extends [never]
    ? { params?: undefined }
    : { params: PathParams<R> }

/** The `query` of a route, required where it has required members. */
export type QueryOption<R extends string> = unknown extends RouteOf<R>['query']
  ? { query?: Readonly<Record<string, QueryValue>> | undefined }
  : {} extends RouteOf<R>['query']
    ? { query?: RouteOf<R>['query'] | undefined }
    : { query: RouteOf<R>['query'] }

/** What a call of the route resolves with: its payload, or the list of its chunks where it streams. */
export type CallOutput<R extends string> = RouteOf<R>['stream'] extends true
  ? RouteOf<R>['output'][]
  : RouteOf<R>['output']

/** A value as JSON tells it, at every depth: a date is its text. */
export type Told<Value> = unknown extends Value
  ? Value
  : Value extends Plain
    ? Value
    : Value extends bigint
      ? string
      : Value extends { toJSON(): infer Json }
        ? Json
        : { [Key in keyof Value]: Told<Value[Key]> }

/** What is told as it is; of bytes and functions no more is known. */
type Plain = string | number | boolean | null | undefined | ArrayBufferView | ((...input: never) => unknown)

/** The routes that carry no payload: a call of one takes options alone, where others take the payload first. */
export type Bodiless = `${'GET' | 'HEAD' | 'DELETE' | 'OPTIONS'} ${string}`

/** May these options be left out altogether? */
export type OptionsArgument<Options> = Partial<Options> extends Options ? [options?: Options] : [options: Options]

/** A payload and options, of which each may be left out where it can be. */
export type InputArguments<Input, Options> =
  Partial<Options> extends Options
    ? undefined extends Input
      ? [input?: Input, options?: Options]
      : [input: Input, options?: Options]
    : [input: Input, options: Options]
