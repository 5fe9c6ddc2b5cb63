import { createElement, useState } from 'react'
import { SdkProvider, useAPI } from '@sdk/react'
import { stage, useFigures } from './stage.mjs'

stage(function App() {
  return createElement(SdkProvider, null, createElement(Stream))
})

function Stream() {
  const [enabled, setEnabled] = useState(false)
  const { data } = useAPI('GET /stream/ndjson', { enabled })
  return useFigures(data?.length ?? 0, () => setEnabled(true))
}
