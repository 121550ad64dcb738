// Tables and pictures that go in and out.
import { contextTable, predictionTable, readContext } from "./csv.js";
import { byId, options, save } from "./dom.js";
import { encode, tell } from "./state.js";

// wireFiles connects the fields of uploads and the buttons of downloads.
export function wireFiles(app, drawOn) {
  let groups = [];
  const take = (i, event) => {
    const others = groups.flatMap((f, k) => (k === i ? [] : f.points));
    app.rebuild(() => tell(app.state, groups[i].points, others), event);
    app.select(-1);
  };
  const read = (text, event) => {
    try {
      const found = readContext(text, app.run.columns, app.run.group);
      groups = found.groups;
      if (groups.length === 0) throw new Error("CSV: found a header without rows; expected a row for each point");
      const rows = groups.reduce((n, f) => n + f.points.length, 0);
      const named = groups.map((f, i) => [i, `${f.name || "(no name)"} (${f.points.length})`]);
      options(byId("group"), named, 0);
      byId("group-name").textContent = app.run.group ?? "Group";
      byId("group-label").hidden = groups.length < 2;
      const ignored = found.ignored.length > 0 ? ` Columns left out: ${found.ignored.join(", ")}.` : "";
      byId("loaded").textContent = `Read ${rows} ${rows === 1 ? "row" : "rows"}${groups.length > 1 ? ` of ${groups.length} groups; the model is told those of one` : ""}.${ignored}`;
      app.complain("");
      take(0, event);
    } catch (err) {
      app.complain(err.message);
    }
  };
  byId("file").addEventListener("change", async (e) => {
    const [file] = e.target.files;
    if (file) read(await file.text(), e);
    e.target.value = "";
  });
  byId("use").addEventListener("click", (e) => read(byId("paste").value, e));
  byId("group").addEventListener("change", (e) => take(Number(e.target.value), e));
  byId("save-table").addEventListener("click", () => {
    if (!app.prediction) return;
    const { targets, levels } = app.prediction;
    save(new Blob([predictionTable("1", targets, levels, app.run.columns)], { type: "text/csv" }), "predictions.csv");
  });
  byId("save-context").addEventListener("click", () => {
    save(new Blob([contextTable("1", app.state.points, app.run.columns)], { type: "text/csv" }), "context.csv");
  });
  byId("save-picture").addEventListener("click", () => {
    const stage = byId("stage");
    const canvas = Object.assign(document.createElement("canvas"), { width: stage.clientWidth * 2, height: stage.clientHeight * 2 });
    drawOn(canvas, 2, null);
    canvas.toBlob((blob) => save(blob, app.run.name.replaceAll(/[^\w.-]+/g, "-") + ".png"));
  });
  byId("link").addEventListener("click", async () => {
    const url = `${location.origin}/#${encode(app.state, app.run)}`;
    history.replaceState(null, "", url);
    try {
      await navigator.clipboard.writeText(url);
      byId("link").textContent = "Copied";
    } catch {
      byId("link").textContent = "It is in the address bar";
    }
    setTimeout(() => { byId("link").textContent = "Copy link"; }, 2000);
  });
}
