// Tests of the page's functions that need no page. failures lists what went wrong.
import { newestWins } from "/page/api.js";
import { extent, valueText } from "/page/columns.js";
import { contextTable, parse, predictionTable, readContext } from "/page/csv.js";
import { masses } from "/page/curve.js";
import { asked, describeRequest, grid, request } from "/page/grid.js";
import { linear, rounded, short, ticks, tickText } from "/page/scale.js";
import { decode, encode, initial, levels, tell } from "/page/state.js";
import { joined, question, summary } from "/page/summary.js";

export const failures = [];

function equal(name, found, want) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(want)];
  if (a !== b) failures.push(`${name}: found ${a}, expected ${b}`);
}

function refused(name, action, want) {
  try {
    action();
    failures.push(`${name}: expected an error`);
  } catch (err) {
    equal(name, err.message, want);
  }
}

const age = { name: "age", unit: "years", low: 0, high: 6 };
const fuel = { name: "fuel", categories: ["petrol", "diesel, old"] };
const price = { name: "price", low: -1, high: 1 };
const cars = { name: "cars & vans", columns: { x: [age, fuel], y: [price] } };

// CSV
equal("quotes", parse('a,b\r\n"x, ""y""",2\r\n\r\n'), [["a", "b"], ['x, "y"', "2"]]);
equal("lines within quotes", parse('a,b\n"x\ny",2'), [["a", "b"], ["x\ny", "2"]]);
equal("semicolons and a byte order mark", parse("\uFEFFa;b\n1;2"), [["a", "b"], ["1", "2"]]);
equal("tabs", parse("a\tb\n1\t2\n"), [["a", "b"], ["1", "2"]]);
refused("an open quote", () => parse('a,b\n"1,2'), "CSV: a quoted cell has no closing quote");
const read = readContext('car,fuel,price,age\nA,petrol,0.5,1\nB,"diesel, old",1e-3,2\nA,petrol,-1,3\n', cars.columns);
equal("groups", read, {
  groups: [
    { name: "A", points: [{ x: [1, "petrol"], y: [0.5] }, { x: [3, "petrol"], y: [-1] }] },
    { name: "B", points: [{ x: [2, "diesel, old"], y: [0.001] }] },
  ],
  ignored: [],
});
equal("other columns", readContext("age,fuel,price,a,b\n1,petrol,2,x,y\n", cars.columns).ignored, ["a", "b"]);
equal("the column of groups", readContext("shop,product,age,fuel,price\ns,a,1,petrol,2\nt,b,1,petrol,3\n", cars.columns, "product").groups.map((f) => f.name), ["a", "b"]);
refused("a missing column", () => readContext("age,fuel\n1,petrol\n", cars.columns), "CSV: found the columns age, fuel; expected also price");
refused("an unknown name", () => readContext("age,fuel,price\n1,gas,2\n", cars.columns), 'CSV line 2, column fuel: found "gas", expected one of petrol, diesel, old');
refused("an empty cell", () => readContext("age,fuel,price\n,petrol,2\n", cars.columns), 'CSV line 2, column age: found "", expected a number');
refused("an empty text", () => readContext("", cars.columns), "CSV: found no header; expected the columns age, fuel, price");
const points = [{ x: [1.5, "diesel, old"], y: [0.25] }];
const patient = { ...initial(cars), at: [3, "petrol"] };
tell(patient, points, []);
equal("the fuel of the group that is told", [patient.at, patient.points], [[1.5, "diesel, old"], points]);
tell(patient, [], points);
equal("a group without points", [patient.at, patient.others], [[1.5, "diesel, old"], points]);
equal("a table of points", contextTable("a", points, cars.columns), 'group,age,fuel,price\na,1.5,"diesel, old",0.25\n');
equal("points there and back", readContext(contextTable("a", points, cars.columns), cars.columns).groups[0].points, points);
const target = { x: [1, "petrol"], channels: [{ mean: 0.5, sd: 0.1, quantiles: [0.2, 0.8] }] };
equal("a table of predictions", predictionTable("1", [target], [0.05, 0.95], cars.columns, [[[0.3]]]),
  "group,target,age,fuel,channel,mean,sd,q0.05,q0.95,draw1\n1,0,1,petrol,price,0.5,0.1,0.2,0.8,0.3\n");
equal("a column named mean", predictionTable("1", [], [], { x: [{ name: "mean" }], y: [price] }), "group,target,x_mean,channel,mean,sd\n");


// Dates are days since the first one.
const born = { name: "born", unit: "days since 2024-02-28", dates: true, low: 0, high: 10 };
const dated = { x: [born], y: [price] };
equal("dates", readContext("born,price\n2024-03-01,0.5\n2024-02-28 12:00,1\n2024-02-27T00:00:00Z,2\n", dated).groups[0].points.map((p) => p.x[0]), [2, 0.5, -1]);
refused("no date", () => readContext("born,price\n2024-3-1,0.5\n", dated), 'CSV line 2, column born: found "2024-3-1", expected a date');
equal("a table of dates", contextTable("a", [{ x: [2], y: [0.5] }, { x: [0.5], y: [1] }], dated), "group,born,price\na,2024-03-01,0.5\na,2024-02-28T12:00:00Z,1\n");
equal("a date in words", valueText(born, 2), "2024-03-01");

// The state in the address
const first = initial(cars);
equal("the first state", encode(first, cars), "run=cars%20%26%20vans");
const state = { ...initial(cars), points, at: [2, "diesel, old"], show: ["quantiles"], quantiles: [0.1], draws: 9, seed: 4, view: { age: [0, 3] } };
equal("the state there and back", decode("#" + encode(state, cars), [{ name: "other", columns: cars.columns }, cars]), state);
equal("no fragment", decode("", [cars]), first);
equal("nonsense", decode("#points=1,2;x;1,gas,3&axes=nothing&at=1&show=all&quantiles=2&draws=1e9&seed=x&view=age:3:1&%zz", [cars]), { ...first, show: [] });
equal("levels", levels("0.9, .1;0.9"), [0.1, 0.9]);
equal("levels outside", levels("0, 0.5"), undefined);

// Scales and numbers
const scale = linear([-1, 1], [100, 0]);
equal("to and from", [scale.to(0), scale.from(75)], [50, -0.5]);
equal("ticks", ticks(-1, 1, 4), { values: [-1, -0.5, 0, 0.5, 1], by: 0.5 });
equal("tick texts", [tickText(-0.5, 0.5), tickText(1500, 500), tickText(0.1 + 0.2, 0.1)], ["−0.5", "1500", "0.3"]);
equal("short numbers", [0, 0.12345, -1234.5, 1e9, 1e-7, null].map(short), ["0", "0.123", "−1235", "1.00e+9", "1.00e−7", "–"]);
equal("rounding", [rounded(0.123456, [0, 1]), rounded(12345.6, [0, 1e5])], [0.123, 12300]);
equal("an axis with a point outside", extent(price, [3], 0.1), [-1.2, 3.2]);
equal("an axis of logarithms", extent({ name: "speed", log: true, low: 0.1, high: 10.1 }, [0.05], 0.1), [0.025, 11.1]);
equal("an axis of numbers that are not below 0", extent({ name: "price", low: 0.5, high: 10.5 }, [], 0.1), [0, 11.5]);
equal("an axis far above 0", extent({ name: "price", low: 20, high: 30 }, [18], 0.1), [17, 31]);
equal("an axis with a point below 0", extent({ name: "price", low: 0, high: 10 }, [-1], 0.1), [-2, 11]);

// Requests
const g = grid({ ...first, show: ["density"] }, cars, "moving");
equal("targets of a curve", [g.x.length, g.x[0].length, g.x[0][1], g.columns.length], [97, 2, "petrol", 97]);
const body = request({ ...first, points, show: ["density"] }, g);
equal("a request", [body.run, body.groups[0].context, body.quantiles, body.density.y.length, body.modes],
  [cars.name, { x: [[1.5, "diesel, old"]], y: [[0.25]] }, [0.05, 0.5, 0.95], 81, undefined]);
equal("levels asked", asked({ quantiles: [0.9], map: "0.25" }), [0.05, 0.25, 0.5, 0.9, 0.95]);

// The smallest regions of a density with peaks of 2 and 1: the higher peak comes first.
const found = masses([0, 1, 0, 2, 0], 1 / 3);
equal("masses", [found[3], found[1]].map((v) => v.toFixed(4)), ["0.3333", "0.8333"]);

// A bound has no height and comes before all: with 1 beside a density of 1, the regions begin at a half.
equal("masses beside a bound", [...masses([0, 1, 0, 2, 0], 1 / 3, 1)].map((v) => v.toFixed(4))[3], "0.6667");

const told = (quantiles, region) => summary(cars, state, { x: [1, "petrol"], channels: [{ quantiles, regions: [region] }] });
equal("words", told([0], [[-1, 1]]), "1 known point. At age = 1 years, fuel = petrol, 90% of price: −1 to 1; median 0.");
equal("words of a bound", summary(cars, state, { x: [1, "petrol"], channels: [{ quantiles: [0.2], regions: [[[0, 0]]], atoms: [{ y: 0, probability: 0.25 }] }] }),
  "1 known point. At age = 1 years, fuel = petrol, 90% of price: 0; median 0.2; exactly 0 has 25%.");
equal("words of two branches", told([0], [[-1, -0.5], [0.5, 1]]), "1 known point. At age = 1 years, fuel = petrol, 90% of price: −1 to −0.5 or 0.5 to 1.");
equal("words without a prediction", summary(cars, first, null), "Click the plot to add a point that the model is told.");
equal("narrow gaps", joined([[0, 1], [1.01, 2], [3, 4]]), [[0, 2], [3, 4]]);
equal("many branches", joined([[0, 1], [2, 3], [4, 5], [7, 8], [9, 10], [13, 14], [16, 17]]), [[0, 5], [7, 10], [13, 14], [16, 17]]);
equal("the question of a run", question({ ...cars, model: "cnp", benchmark: "csv", file: "cars.csv", group: "car", parameters: 9000, steps: 0 }),
  { title: "cars.csv: price from age, fuel, by car", about: "CNP · 9,000 parameters" });
equal("the question of a fit", question({ columns: cars.columns, model: "fit", file: "cars.csv", formula: "price ~ age | car" }).title, "price ~ age | car, of cars.csv");
equal("what is asked of a place", describeRequest(first, cars, [2.5, 9]).groups[0].targets.x, [[2.5, "petrol"]]);

// Of jobs that wait, the newest runs.
const ran = [];
let release;
const ask = newestWins(async (job) => {
  ran.push(job);
  if (job === 1) await new Promise((done) => { release = done; });
});
const all = ask(1);
ask(2);
ask(3);
release();
await all;
equal("the newest wins", ran, [1, 3]);
