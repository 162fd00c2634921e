/* The search of the theme runs in a worker, which browsers refuse to pages that are opened from the file system.
   There an invisible frame takes the worker's place: it loads the worker's script and passes messages on. */
"use strict";
(() => {
  class FrameWorker extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      window.addEventListener("message", (event) => {
        if (event.source !== inside) return;
        this.dispatchEvent(new MessageEvent("message", { data: event.data }));
        if (this.onmessage) this.onmessage(event);
      });
      inside.document.open();
      inside.document.write(
        "<html><body><script>postMessage = (data) => parent.postMessage(data, '*');" +
        "importScripts = (...all) => all.reduce((before, address) => before.then(() => new Promise((done) => {" +
        "const script = document.createElement('script'); script.src = address; script.onload = done;" +
        "document.body.appendChild(script); })), Promise.resolve());<\/script>" +
        `<script src="${address}"><\/script></body></html>`);
      inside.document.close();
      const ready = new Promise((resolve) => { inside.onload = resolve; });
      this.postMessage = (data) => ready.then(() => inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  }

  if (location.protocol === "file:") window.Worker = FrameWorker;
})();
