import { createElement } from 'react'
import { SdkProvider, useAPI } from '@sdk/react'
import { stage, useFigures } from './stage.mjs'

stage(function App() {
  return createElement(SdkProvider, null, createElement(Stream))
})

function Stream() {
  const { data, invoke } = useAPI('POST /stream/ndjson')
  return useFigures(data?.length ?? 0, () => invoke())
}
