import { describe, expectTypeOf, it } from 'vitest'
import { fillPath, parseRoute, type Method, type ParamName, type PathOf, type PathParams, type Route } from './index.ts'

describe('PathOf', () => {
  it('is what stands after the method', () => {
    expectTypeOf<PathOf<'GET /api/v1/tasks/:id'>>().toEqualTypeOf<'/api/v1/tasks/:id'>()
    expectTypeOf<PathOf<'GET|POST /api/auth/*'>>().toEqualTypeOf<'/api/auth/*'>()
  })

  it('leaves a bare path, as of a socket, alone', () => {
    expectTypeOf<PathOf<'/ws/chat'>>().toEqualTypeOf<'/ws/chat'>()
    expectTypeOf<PathOf<string>>().toEqualTypeOf<string>()
  })
})

describe('ParamName', () => {
  it('names every parameter', () => {
    expectTypeOf<ParamName<'GET /api/:team/tasks/:id'>>().toEqualTypeOf<'team' | 'id'>()
    expectTypeOf<ParamName<'/:first'>>().toEqualTypeOf<'first'>()
    expectTypeOf<ParamName<'GET /files/:owner/*'>>().toEqualTypeOf<'owner' | '*'>()
  })

  it('names none where there is none', () => {
    expectTypeOf<ParamName<'GET /api/status'>>().toEqualTypeOf<never>()
    expectTypeOf<ParamName<'GET /'>>().toEqualTypeOf<never>()
    expectTypeOf<ParamName<'GET /a:b/c*'>>().toEqualTypeOf<never>()
  })
})

describe('PathParams', () => {
  it('asks for a value for every parameter', () => {
    expectTypeOf<PathParams<'GET /api/:team/tasks/:id'>>().toEqualTypeOf<{
      team: string | number
      id: string | number
    }>()
    expectTypeOf<PathParams<'GET /files/*'>>().toEqualTypeOf<{ '*': string | number }>()
  })

  it('asks for nothing where there is none', () => {
    // oxlint-disable-next-line typescript/no-generated-empty-object-type -- an empty one is what is asked for
    expectTypeOf<keyof PathParams<'GET /api/status'>>().toEqualTypeOf<never>()
  })

  it('takes anything while the route is not known', () => {
    expectTypeOf<PathParams<string>>().toEqualTypeOf<Record<string, string | number>>()
  })

  it('refuses a wrong name and a wrong type', () => {
    // @ts-expect-error -- it is called id
    const named: PathParams<'GET /a/:id'> = { ID: 1 }
    // @ts-expect-error -- neither text nor number
    const typed: PathParams<'GET /a/:id'> = { id: true }
    expectTypeOf([named, typed]).toBeArray()
  })
})

describe('the functions', () => {
  it('are typed', () => {
    expectTypeOf(parseRoute).returns.toEqualTypeOf<Route>()
    expectTypeOf<Route['methods']>().toEqualTypeOf<readonly Method[]>()
    expectTypeOf<Method>().toEqualTypeOf<'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'>()
    expectTypeOf(fillPath).parameter(1).toEqualTypeOf<Readonly<Record<string, string | number>> | undefined>()
  })
})
